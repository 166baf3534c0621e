import type { Site } from "../../site/site.ts";

/** What every check needs to know. */
export interface CheckContext {
  readonly site: Site;
  /** What the paths in the site file are relative to. */
  readonly folder: string;
  /** A configuration file for `ssh -F`, in place of the user's. */
  readonly ssh_config?: string;
}
