import type { Credentials } from "../../src/site/site.ts";

/** What every management processor of the lab is started with: a BMC, a PDU. */
export interface ProcessorConfig {
  readonly name: string;
  /** Address to listen on, without brackets. */
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** PEM. */
  readonly tls: { readonly key: string; readonly cert: string };
  /** Its state and its active faults live here. */
  readonly folder: string;
  readonly credentials: Credentials;
  /** One sentence for each thing that went wrong inside; default stderr. */
  readonly log?: (sentence: string) => void;
}

export interface Running {
  readonly port: number;
  close(): Promise<void>;
}
