import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Endpoint } from "../../src/machine/etcd/client.ts";
import { run } from "../../src/machine/process.ts";
import { type Etcd, EtcdProcess } from "./process.ts";

/** For tests: members that speak TLS and let nobody in without a certificate, as on a machine. */

const ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc"] as const;

export interface Certificates {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/**
 * An authority and one certificate of it, for 127.0.0.1; paths of files. It is for clients too: etcd's JSON gateway is a
 * client of its own etcd, and shows it this certificate.
 */
export async function makeCertificates(folder: string, name = "etcd"): Promise<Certificates> {
  const at = (end: string) => join(folder, `${name}-${end}`);
  const authority = { cert: at("ca.crt"), key: at("ca.key") };
  const leaf = { cert: at("leaf.crt"), key: at("leaf.key") };
  await run([
    "openssl",
    "req",
    "-x509",
    ...ec,
    "-subj",
    `/CN=${name}`,
    "-keyout",
    authority.key,
    "-out",
    authority.cert,
  ]);
  await writeFile(at("ext"), "subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n");
  await run(["openssl", "req", ...ec, "-subj", "/CN=member", "-keyout", leaf.key, "-out", at("csr")]);
  const sign = ["-CA", authority.cert, "-CAkey", authority.key, "-extfile", at("ext")];
  await run(["openssl", "x509", "-req", "-in", at("csr"), ...sign, "-out", leaf.cert]);
  return { ca: authority.cert, ...leaf };
}

export async function loadCertificates({ ca, cert, key }: Certificates): Promise<Endpoint["tls"]> {
  return {
    ca: await readFile(ca, "utf8"),
    cert: await readFile(cert, "utf8"),
    key: await readFile(key, "utf8"),
  };
}

/** One etcd with TLS for clients and members. */
export class TlsEtcd {
  readonly process: EtcdProcess;
  readonly endpoint: Endpoint;
  readonly peerUrl: string;
  readonly peerUrls: readonly string[];
  readonly #flags: readonly string[];

  private constructor(process: EtcdProcess, files: Certificates, tls: Endpoint["tls"]) {
    const client = process.client.replace("http:", "https:");
    this.process = process;
    this.peerUrl = process.peer.replace("http:", "https:");
    this.peerUrls = [this.peerUrl];
    this.endpoint = { url: client, tls };
    const { ca, cert, key } = files;
    this.#flags = [
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${this.peerUrl}`,
      `--initial-advertise-peer-urls=${this.peerUrl}`,
      "--client-cert-auth",
      `--cert-file=${cert}`,
      `--key-file=${key}`,
      `--trusted-ca-file=${ca}`,
      "--peer-client-cert-auth",
      `--peer-cert-file=${cert}`,
      `--peer-key-file=${key}`,
      `--peer-trusted-ca-file=${ca}`,
    ];
  }

  static async create(etcd: Etcd, name: string, folder: string, files: Certificates): Promise<TlsEtcd> {
    return new TlsEtcd(await EtcdProcess.create(etcd, name, folder), files, await loadCertificates(files));
  }

  get name(): string {
    return this.process.name;
  }

  start(flags: readonly string[] = []): void {
    this.process.start([...this.#flags, ...flags]);
  }

  startFirst(flags: readonly string[] = []): void {
    this.start([...flags, `--initial-cluster=${this.name}=${this.peerUrl}`]);
  }

  /** It must have been added before. */
  startJoining(through: TlsEtcd, flags: readonly string[] = []): void {
    const members = [through, this].map(({ name, peerUrl }) => `${name}=${peerUrl}`).join(",");
    this.start([...flags, "--initial-cluster-state=existing", `--initial-cluster=${members}`]);
  }
}
