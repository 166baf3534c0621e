import { once } from "node:events";
import { createServer } from "node:https";
import { TLSSocket } from "node:tls";
import * as v from "valibot";
import { issue, makeAuthority, makeKey } from "../../machine/x509.ts";
import type { KubeApi } from "../../machine/kube-api.ts";
import { days, years } from "../authority.ts";

const merges: ReadonlySet<string> = new Set([
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
]);
const sent = v.pipe(v.string(), v.parseJson(), v.looseObject({}));

/** For tests: what takes objects as an API server does, behind TLS with certificates on both sides. No cluster, and no rules. */
export interface FakeApi extends AsyncDisposable {
  readonly authority: { readonly certificate: string; readonly key: ReturnType<typeof makeKey> };
  readonly url: string;
  readonly objects: Map<string, object>;
  readonly asked: string[];
  /** How many of the next calls are answered with 503. */
  refusals: number;
  as: (commonName: string, organization?: string) => KubeApi;
}

export async function fakeApi(): Promise<FakeApi> {
  const now = new Date();
  const authority = makeAuthority("duet Kubernetes CA test", makeKey(), years(1, now));
  const key = makeKey();
  const hosts = ["127.0.0.1"];
  const cert = issue(authority, { commonName: "api", usages: ["server"], hosts }, key, days(1, now));
  const tls = {
    cert,
    key: key.reveal(),
    ca: authority.certificate,
    requestCert: true,
    rejectUnauthorized: true,
  };
  const objects = new Map<string, object>();
  const asked: string[] = [];
  const server = createServer(tls, (request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    request.on("end", () => {
      const { pathname, search, searchParams } = new URL(request.url ?? "/", "https://x");
      const { subject } = request.socket instanceof TLSSocket ? request.socket.getPeerCertificate() : {};
      const wanted = request.method === "GET" ? `${pathname}${search}` : pathname;
      asked.push(`${String(subject?.CN)} ${request.method} ${wanted}`);
      const tell = (status: number, body: unknown) => {
        response.writeHead(status, { "content-type": "application/json" });
        response.end(typeof body === "string" ? body : JSON.stringify(body));
      };
      const no = (status: number, message: string) => tell(status, { kind: "Status", message, code: status });
      if (fake.refusals > 0) {
        fake.refusals -= 1;
        return no(503, "etcdserver: no leader");
      }
      if (pathname === "/readyz") return tell(200, "ok");
      const found = objects.get(pathname);
      if (request.method === "GET") return found === undefined ? no(404, "not found") : tell(200, found);
      const type = request.headers["content-type"];
      if (type === "application/apply-patch+yaml") {
        if (searchParams.get("fieldManager") !== "duet") return no(400, "fieldManager is required");
      } else if (!merges.has(type ?? "") || found === undefined)
        return no(found === undefined ? 404 : 415, "no such patch");
      objects.set(pathname, { ...found, ...v.parse(sent, text) });
      return tell(found === undefined ? 201 : 200, objects.get(pathname));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = `https://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  const fake: FakeApi = {
    authority,
    url,
    objects,
    asked,
    refusals: 0,
    as: (commonName, organization) => {
      const own = makeKey();
      const leaf = {
        commonName,
        usages: ["client"],
        hosts: [],
        ...(organization === undefined ? {} : { organization }),
      } as const;
      return {
        url,
        tls: {
          ca: authority.certificate,
          cert: issue(authority, leaf, own, days(1, now)),
          key: own.reveal(),
        },
      };
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return fake;
}
