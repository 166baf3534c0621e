import * as v from "valibot";
import { failed, type Result, success, unsent } from "./failure.ts";
import { type Answer, ask, type Service } from "./transport.ts";

export interface BmcService extends Service {
  /** The System to control; needed only where the BMC has more than one. */
  readonly system?: string;
  /** What an earlier client found: saves the calls that look for it. What is not there any more is looked for anew. */
  readonly known?: KnownSystem;
  /** Told what was found, where it is not what was known. */
  readonly found?: (system: KnownSystem) => void;
}

/** Where a BMC's one System is, and by what it is switched. */
export interface KnownSystem {
  readonly path: string;
  readonly reset?: ResetAction;
}
export interface ResetAction {
  readonly target: string;
  /** Undefined: the BMC does not tell. */
  readonly types?: readonly string[];
}

const link = v.object({ "@odata.id": v.pipe(v.string(), v.startsWith("/")) });
const collection = v.object({ Members: v.array(link) });
const root = v.object({ Systems: link, RedfishVersion: v.optional(v.string()) });
const resetAction = v.object({
  target: v.pipe(v.string(), v.startsWith("/")),
  "ResetType@Redfish.AllowableValues": v.optional(v.array(v.string())),
});
const systemShape = v.object({
  "@odata.etag": v.optional(v.string()),
  PowerState: v.nullish(v.string()),
  AssetTag: v.nullish(v.string()),
  Actions: v.optional(v.object({ "#ComputerSystem.Reset": v.optional(resetAction) })),
  Links: v.optional(v.object({ ManagedBy: v.optional(v.array(link)) })),
});
const managerShape = v.object({
  DateTime: v.nullish(v.string()),
  Actions: v.optional(v.object({ "#Manager.Reset": v.optional(resetAction) })),
});

export interface Tag {
  /** null: the BMC has a place for a tag, and nothing in it. */
  readonly tag: string | null;
  readonly etag?: string;
}

export interface Manager {
  readonly path: string;
  /** Its own clock, as it writes it. */
  readonly date?: string;
  readonly reset?: string;
  /** Undefined: it does not tell. */
  readonly resetTypes?: readonly string[];
}

/** A command that would have gone out too late, and was not sent. */
export const late = failed({ kind: "deadline", deadline_ms: 0 });

/** What the service did: `done`, or `accepted` for 202, where only reading back shows whether anything happens. */
export type Done = "done" | "accepted";

/** The part of Redfish that fencing and the witness need, of one BMC. Every call has a deadline; nothing is thrown. */
export class RedfishClient {
  readonly #service: BmcService;
  #path: string | undefined;
  #known: KnownSystem | undefined;

  constructor(service: BmcService) {
    this.#service = service;
    const { system, known } = service;
    this.#known = system === undefined || known?.path === system ? known : undefined;
    this.#path = system ?? known?.path;
  }

  /** The service root: there, over a connection that is trusted, and Redfish. */
  async root(): Promise<Result<{ readonly systems: string; readonly version: string }>> {
    const found = await this.#get("/redfish/v1/", root);
    if (!found.ok && found.failure.kind === "status" && found.failure.status === 404)
      return failed({ kind: "not-redfish", why: "it has no /redfish/v1/" });
    if (!found.ok) return found;
    return success({
      systems: found.value.body.Systems["@odata.id"],
      version: found.value.body.RedfishVersion ?? "",
    });
  }

  /** The path of the one System. */
  async system(): Promise<Result<string>> {
    if (this.#path !== undefined) return success(this.#path);
    const start = await this.root();
    if (!start.ok) return start;
    const found = await this.#get(start.value.systems, collection);
    if (!found.ok) return found;
    const systems = found.value.body.Members.map((member) => member["@odata.id"]);
    const [first, ...others] = systems;
    if (first === undefined || others.length > 0) return failed({ kind: "several-systems", systems });
    this.#path = first;
    return success(first);
  }

  /** `On`, `Off`, or whatever else the BMC says, as it says it. Only `Off` means Off. */
  async powerState(): Promise<Result<string>> {
    const found = await this.#system();
    if (!found.ok) return found;
    const state = found.value.body.PowerState;
    return typeof state === "string"
      ? success(state)
      : failed({ kind: "unsupported", what: "it tells no PowerState" });
  }

  /** Power and tag in one call, each undefined where the System has none. */
  async look(): Promise<Result<{ readonly power: string | undefined; readonly tag: Tag | undefined }>> {
    const found = await this.#system();
    if (!found.ok) return found;
    const { body, etag } = found.value;
    return success({ power: body.PowerState ?? undefined, tag: tagIn(body, etag) });
  }

  /**
   * `ForceOff`, `On`, `GracefulShutdown`, … Success means that the BMC took it, not that it has happened.
   * `inTime`: asked right before the command goes out; one that would go out too late is not sent.
   */
  async reset(type: string, inTime: () => boolean = () => true): Promise<Result<Done>> {
    const known = this.#known?.reset;
    if (known !== undefined && offers(known, type)) {
      if (!inTime()) return late;
      const taken = await this.#change("POST", known.target, { ResetType: type }, { inTime });
      if (!isGone(taken)) return taken;
      this.#known = undefined;
    }
    const found = await this.#system();
    if (!found.ok) return unsent(found);
    const action = resetIn(found.value.body);
    // Some offer to a machine that is off only what would change that. It is sent all the same: their answer shows that they are asked.
    const isOff = found.value.body.PowerState === "Off";
    if (action === undefined || !(offers(action, type) || (isOff && type === "ForceOff")))
      return failed({ kind: "unsupported", what: `it offers no reset of type ${type}` });
    if (!inTime()) return late;
    return this.#change("POST", action.target, { ResetType: type }, { inTime });
  }

  async readTag(): Promise<Result<Tag>> {
    const found = await this.#system();
    if (!found.ok) return found;
    const tag = tagIn(found.value.body, found.value.etag);
    return tag === undefined
      ? failed({ kind: "unsupported", what: "its System has no AssetTag" })
      : success(tag);
  }

  /** With `ifMatch` from `readTag` nothing is written where the System has changed since. */
  async writeTag(tag: string | null, ifMatch?: string): Promise<Result<Done>> {
    const path = await this.system();
    return path.ok ? this.#change("PATCH", path.value, { AssetTag: tag }, { ifMatch }) : path;
  }

  async manager(): Promise<Result<Manager>> {
    const found = await this.#system();
    if (!found.ok) return found;
    const path = found.value.body.Links?.ManagedBy?.[0]?.["@odata.id"];
    if (path === undefined) return failed({ kind: "unsupported", what: "its System names no Manager" });
    const manager = await this.#get(path, managerShape);
    if (!manager.ok) return manager;
    const { DateTime, Actions } = manager.value.body;
    const reset = Actions?.["#Manager.Reset"];
    const types = reset?.["ResetType@Redfish.AllowableValues"];
    return success({
      path,
      ...(DateTime ? { date: DateTime } : {}),
      ...(reset === undefined ? {} : { reset: reset.target }),
      ...(types === undefined ? {} : { resetTypes: types }),
    });
  }

  async resetManager(type: string): Promise<Result<Done>> {
    const manager = await this.manager();
    if (!manager.ok) return manager;
    const { reset, resetTypes } = manager.value;
    if (reset === undefined || resetTypes?.includes(type) === false)
      return failed({
        kind: "unsupported",
        what: `its Manager offers no reset${reset === undefined ? "" : ` of type ${type}`}`,
      });
    return this.#change("POST", reset, { ResetType: type });
  }

  async #system() {
    const path = await this.system();
    if (!path.ok) return path;
    const found = await this.#read(path.value);
    const { system, known } = this.#service;
    if (!isGone(found) || system !== undefined || path.value !== known?.path) return found;
    this.#path = undefined;
    const anew = await this.system();
    return anew.ok ? this.#read(anew.value) : anew;
  }

  async #read(path: string) {
    const found = await this.#get(path, systemShape);
    if (found.ok) this.#note(path, found.value.body);
    return found;
  }

  #note(path: string, body: v.InferOutput<typeof systemShape>): void {
    const reset = resetIn(body);
    const seen: KnownSystem = { path, ...(reset === undefined ? {} : { reset }) };
    if (JSON.stringify(seen) === JSON.stringify(this.#known)) return;
    this.#known = seen;
    this.#service.found?.(seen);
  }

  #get<S extends v.GenericSchema>(path: string, shape: S) {
    return getResource(this.#service, path, shape);
  }

  #change(
    method: "POST" | "PATCH",
    path: string,
    body: unknown,
    bounds: ChangeBounds = {},
  ): Promise<Result<Done>> {
    return changeResource(this.#service, method, path, body, bounds);
  }
}

/** What was there before is not any more. */
export const isGone = (result: Result<unknown>): boolean =>
  !result.ok && result.failure.kind === "status" && [404, 410].includes(result.failure.status);

const offers = ({ types }: ResetAction, type: string): boolean => types === undefined || types.includes(type);

function resetIn(body: v.InferOutput<typeof systemShape>): ResetAction | undefined {
  const action = body.Actions?.["#ComputerSystem.Reset"];
  if (action === undefined) return undefined;
  const types = action["ResetType@Redfish.AllowableValues"];
  return { target: action.target, ...(types === undefined ? {} : { types }) };
}

function tagIn(body: v.InferOutput<typeof systemShape>, etag: string | undefined): Tag | undefined {
  if (body.AssetTag === undefined) return undefined;
  const version = etag ?? body["@odata.etag"];
  return { tag: body.AssetTag, ...(version === undefined ? {} : { etag: version }) };
}

/** A resource in the shape that is needed of it, with its ETag. */
export async function getResource<S extends v.GenericSchema>(
  service: Service,
  path: string,
  shape: S,
): Promise<Result<{ readonly body: v.InferOutput<S>; readonly etag?: string }>> {
  const answer = await ask(service, { method: "GET", path });
  if (!answer.ok) return answer;
  const parsed = v.safeParse(shape, answer.value.json);
  if (!parsed.success)
    return failed({ kind: "not-redfish", why: `${path} has another form (${placeOf(parsed.issues)})` });
  const { etag } = answer.value;
  return success({ body: parsed.output, ...(etag === undefined ? {} : { etag }) });
}

/** With `ifMatch` nothing is changed where somebody else did since. `inTime`: see `Call`. */
export interface ChangeBounds {
  readonly ifMatch?: string | undefined;
  readonly inTime?: () => boolean;
}

export async function changeResource(
  service: Service,
  method: "POST" | "PATCH",
  path: string,
  body: unknown,
  { ifMatch, inTime }: ChangeBounds = {},
): Promise<Result<Done>> {
  const answer = await ask(service, {
    method,
    path,
    body,
    ...(ifMatch === undefined ? {} : { ifMatch }),
    ...(inTime === undefined ? {} : { inTime }),
  });
  return answer.ok ? success(doneOf(answer.value)) : answer;
}

const doneOf = ({ status }: Answer): Done => (status === 202 ? "accepted" : "done");

const placeOf = (issues: readonly v.BaseIssue<unknown>[]): string =>
  issues
    .map((issue) => v.getDotPath(issue) ?? "top")
    .slice(0, 3)
    .join(", ");
