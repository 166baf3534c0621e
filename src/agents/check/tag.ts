import type { RedfishClient } from "../../redfish/client.ts";
import { problemOf } from "../../redfish/failure.ts";
import type { Machine, Site } from "../../site/site.ts";
import { isOtherSites } from "../hands/tag.ts";
import { type Finding, fromProblem, type Mark } from "./finding.ts";

const check = "BMC tag";
/** Of a write that was tried, and taken. */
export const written_text =
  "accepts a write of the value that is there; that it keeps a new one only setup tests";
const without = "or give up lone starts with `witness: off`";

/**
 * Does the BMC take a write of the witness's tag? That it also keeps a new one shows only a write, a reset of the BMC and
 * a read back, which is a matter of setup: here the site may be at work. Writes back exactly what is there, and only with If-Match: a tag that a takeover
 * writes in this very moment must never be lowered.
 */
export async function checkTag(
  machine: Machine,
  client: RedfishClient,
  witness: Site["witness"],
): Promise<Finding> {
  const subject = machine.name;
  const say = (mark: Mark, detail: string, fix?: string): Finding => ({
    subject,
    check,
    mark,
    detail,
    ...(fix === undefined ? {} : { fix }),
  });
  if (witness === "off") return say("note", "not tested: the site file says `witness: off`");
  const before = await client.readTag();
  if (!before.ok) return fromProblem(subject, check, problemOf(before.failure, machine.bmc.url));
  const { tag, etag } = before.value;
  if (etag === undefined)
    return say(
      "warn",
      "not tested: the BMC gives no ETag, and without one a write could undo somebody else's",
      `see that its user may change the asset tag, ${without}`,
    );
  const written = await client.writeTag(tag, etag);
  if (!written.ok) {
    const problem = problemOf(written.failure, machine.bmc.url);
    const mark = written.failure.kind === "changed" ? "warn" : "fail";
    return fromProblem(
      subject,
      check,
      { ...problem, fix: `${problem.fix}; the user needs the right to configure, ${without}` },
      mark,
    );
  }
  if (written.value === "accepted")
    return say(
      "fail",
      "the BMC only takes note of a new tag (status 202)",
      `a witness needs a tag that holds at once; update its firmware, ${without}`,
    );
  const after = await client.readTag();
  if (!after.ok) return fromProblem(subject, check, problemOf(after.failure, machine.bmc.url));
  if (after.value.tag !== tag)
    return say("fail", "the BMC did not keep the tag that was written", `update its firmware, ${without}`);
  return say("ok", written_text);
}

/** Was a write tried, and taken? Else the BMC was only read, by a user that may be allowed no more than that. */
export const hasWritten = (findings: readonly Finding[]): boolean =>
  findings.some((each) => each.check === check && each.mark === "ok" && each.detail === written_text);

/** Undefined: no other site's tag was seen there. */
export async function otherSitesTag(
  { name: subject }: Machine,
  client: RedfishClient,
  site: Site,
): Promise<Finding | undefined> {
  if (site.witness === "off") return undefined;
  const read = await client.readTag();
  if (!read.ok || !isOtherSites(site, read.value.tag)) return undefined;
  return {
    subject,
    check,
    mark: "fail",
    detail: `holds the tag of another duet site (${read.value.tag}): this site never writes over it, and has no witness here`,
    fix: `see which site relies on this BMC: one of the two site files may name the wrong address; only if none does (an earlier installation, or this site had another name), empty the asset tag on the BMC's pages, ${without}`,
  };
}

/** Where nothing may be written. */
export async function readTag(
  { name: subject, bmc }: Machine,
  client: RedfishClient,
  witness: Site["witness"],
): Promise<Finding> {
  if (witness === "off")
    return { subject, check, mark: "note", detail: "not read: the site file says `witness: off`" };
  const read = await client.readTag();
  if (!read.ok) return fromProblem(subject, check, problemOf(read.failure, bmc.url));
  const held = read.value.tag === null || read.value.tag === "" ? "nothing" : read.value.tag;
  return { subject, check, mark: "ok", detail: `holds ${held.replaceAll(/\p{Cc}/gu, "").slice(0, 64)}` };
}
