import type { Endpoint } from "./endpoint.ts";

/** A path with `{}` for each part that is a member's id, and the endpoint behind it, if that member exists. */
export interface Route {
  readonly path: string;
  readonly find: (...ids: readonly string[]) => Endpoint | undefined;
}

export const at = (path: string, endpoint: Endpoint): Route => ({ path, find: () => endpoint });

const parts = (path: string): readonly string[] => path.split("/").filter((part) => part !== "");

export class Router {
  readonly #routes: readonly { readonly parts: readonly string[]; readonly route: Route }[];

  constructor(routes: readonly Route[]) {
    this.#routes = routes.map((route) => ({ parts: parts(route.path), route }));
  }

  /** A slash at the end makes no difference; one in the middle does. */
  find(path: string): Endpoint | undefined {
    if (path.includes("//")) return undefined;
    const asked = parts(path);
    for (const { parts: wanted, route } of this.#routes) {
      if (wanted.length !== asked.length) continue;
      const ids: string[] = [];
      const fits = wanted.every((part, i) => {
        const given = asked[i] ?? "";
        if (part === "{}") ids.push(given);
        return part === "{}" || part === given;
      });
      if (fits) return route.find(...ids);
    }
    return undefined;
  }
}
