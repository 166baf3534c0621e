/** The part of DER (ITU-T X.690) that writing a certificate takes. Reading is left to Node's own X.509. */
export type Der = Uint8Array;

const value = (tag: number, ...parts: readonly Uint8Array[]): Der => {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), length(content.length), content]);
};

function length(bytes: number): Uint8Array {
  if (bytes < 0x80) return Buffer.from([bytes]);
  const digits = Buffer.from(bytes.toString(16).padStart(bytes > 0xff ? 4 : 2, "0"), "hex");
  return Buffer.concat([Buffer.from([0x80 | digits.length]), digits]);
}

export const sequence = (...parts: readonly Der[]): Der => value(0x30, ...parts);
export const set = (...parts: readonly Der[]): Der => value(0x31, ...parts);
export const octets = (content: Uint8Array): Der => value(0x04, content);
export const utf8 = (text: string): Der => value(0x0c, Buffer.from(text));
export const truth = (): Der => value(0x01, Buffer.from([0xff]));

/** Unsigned, big-endian, with no zero before it but the one that keeps it from being negative. */
export function integer(digits: Uint8Array): Der {
  const first = digits.findIndex((byte) => byte !== 0);
  const bare = first < 0 ? Buffer.from([0]) : digits.subarray(first);
  return value(0x02, (bare[0] ?? 0) >= 0x80 ? Buffer.from([0]) : Buffer.alloc(0), bare);
}

/** `unused`: how many bits of the last byte are not part of it. */
export const bits = (content: Uint8Array, unused = 0): Der => value(0x03, Buffer.from([unused]), content);

/** A context's own tag: around whole values, or in place of the tag of one. */
export const around = (number: number, ...parts: readonly Der[]): Der => value(0xa0 | number, ...parts);
export const inPlace = (number: number, content: Uint8Array): Der => value(0x80 | number, content);

/** `1.2.840.10045.4.3.2` */
export function oid(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return value(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(number: number): readonly number[] {
  const digits = [number & 0x7f];
  for (let rest = number >>> 7; rest > 0; rest >>>= 7) digits.unshift(0x80 | (rest & 0x7f));
  return digits;
}

/** Two digits of the year until 2049, four from then on: RFC 5280, 4.1.2.5. */
export function time(at: Date): Der {
  const text = at.toISOString().replaceAll(/[-:T]|\.\d+/g, "");
  return at.getUTCFullYear() < 2050
    ? value(0x17, Buffer.from(text.slice(2)))
    : value(0x18, Buffer.from(text));
}
