import { nameOf } from "../agents/names.ts";

/** Faults are named for any machine; a reader wants to know which. */
const words: readonly (readonly [RegExp, string])[] = [
  [/^a power cut\b/, "the power of ME is cut"],
  [/^the feed is lost\b/, "ME and its BMC lose their feed"],
  [/^an orderly shutdown\b/, "ME is shut down in order"],
  [/^etcd is killed(?! on both)/, "etcd on ME is killed"],
  [/^etcd's folder\b/, "etcd's folder on ME"],
  [/^the disk\b/, "the disk of ME"],
  [/^a BMC's fault: /, "the BMC of ME has the fault: "],
  [/^(?:a|the) BMC\b(?! of)/, "the BMC of ME"],
  [/^the management port(?! of)/, "the management port of ME"],
  [/\bover a tag\b/, "over the tag of ME's BMC"],
  [/\bits resource failed\b/, "its resource failed on ME"],
  [/^one loses its power; the other\b/, "PEER loses its power; ME"],
  [/^one (.*?), the other\b/, "ME $1, PEER"],
  [/\bthe first\b/, "ME"],
  [/\bin one direction\b/, "from ME to PEER"],
  [/\bthe machine\b/g, "ME"],
  [/\bthe peer\b/g, "PEER"],
];

/** Where both machines are meant, or what lies between them, the one that the dice named says nothing. */
const both = /\b(both|machines)\b|^(the|etcd's|a) links?\b|^the (one switch|power strip)\b/;

export function faultWords(name: string, machine: number): string {
  let text = name;
  for (const [pattern, word] of words) text = text.replace(pattern, word);
  if (!/\b(ME|PEER)\b/.test(text) && !both.test(text)) text = `${text} (ME)`;
  return text.replaceAll(/\bME\b/g, nameOf(machine)).replaceAll(/\bPEER\b/g, nameOf(1 - machine));
}
