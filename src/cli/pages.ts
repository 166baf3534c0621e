import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { getAsset, getAssetKeys, isSea } from "node:sea";
import { pageOf, pagesFolder } from "../agents/status/page.ts";
import { editDistance } from "../base/text.ts";
import { checkoutFolder } from "../../lab/checkout.ts";

/** Of every error and every rule. The executable has the pages in itself (lab/build.ts), a checkout has the folder. */
export function pageCodes(): readonly string[] {
  const names = isSea()
    ? getAssetKeys().filter((key) => key.startsWith(`${pagesFolder}/`))
    : readdirSync(join(checkoutFolder(), pagesFolder));
  return names
    .filter((name) => name.endsWith(".md"))
    .map((name) => basename(name, ".md"))
    .toSorted();
}

/** As it was written, in Markdown. */
export const readPage = (code: string): string =>
  isSea() ? getAsset(pageOf(code), "utf8") : readFileSync(join(checkoutFolder(), pageOf(code)), "utf8");

const near_max = 5;
const word_max = 64;

/** What all codes begin with makes none of them like another. */
const own = (code: string): string => code.replace(/^(DUET-[A-Z]|R)-/, "");

/** The codes that were most likely meant: those that have the word in them, and those a few letters away. */
export function nearCodes(word: string, codes: readonly string[]): readonly string[] {
  const wanted = own(word);
  if (wanted.length < 2 || wanted.length > word_max) return [];
  return codes
    .map((code) => ({ code, distance: editDistance(wanted, own(code)) }))
    .filter(
      ({ code, distance }) =>
        own(code).includes(wanted) || wanted.includes(own(code)) || distance <= own(code).length / 3,
    )
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, near_max)
    .map(({ code }) => code);
}
