import { Progress } from "../src/machine/progress.ts";
import { ensureImage } from "./image.ts";

let root: Promise<string> | undefined;

/** The machines' OS image: `npm test` of everything has made it before the first test, and a file that is run by itself makes it. */
export function imageRoot(): Promise<string> {
  const made = process.env["DUET_IMAGE_ROOT"];
  root ??= made === undefined || made === "" ? ensureImage(new Progress()) : Promise.resolve(made);
  return root;
}
