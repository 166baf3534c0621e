import * as v from "valibot";
import { alerts_max, facilities, mail_to_max } from "./defaults.ts";
import type { SentenceKey } from "./sentences.ts";

const say = (key: SentenceKey): string => key;

/** `https://host[:port]/path`, with nothing in it that is known to carry secrets. */
const url = v.pipe(
  v.string(say("webhook-url")),
  v.check((text) => !text.includes("@"), say("alert-secret")),
  v.check((text) => !/^http:/i.test(text), say("webhook-http")),
  v.check((text) => isHttps(text), say("webhook-url")),
  v.check((text) => !/[?#]/.test(text), say("webhook-query")),
  v.description("Where to POST to: https://host/path. One that has a token in it belongs into `url_file`"),
);

/** As small as an address that every MTA takes: nothing in it can begin another header, or be taken for an option. */
export const mailAddress = v.pipe(
  v.string(say("mail-address")),
  v.maxLength(254, say("mail-address")),
  v.regex(/^[A-Za-z0-9][A-Za-z0-9._%+-]*@[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/, say("mail-address")),
);

const mail = v.pipe(
  v.strictObject(
    {
      to: v.pipe(
        v.union(
          [
            mailAddress,
            v.pipe(
              v.array(mailAddress, say("mail-address")),
              v.minLength(1, say("mail-address")),
              v.maxLength(mail_to_max, say("mail-many")),
            ),
          ],
          say("mail-address"),
        ),
        v.description("Who is told: a mail address, or a list of them"),
      ),
      from: v.optional(
        v.pipe(mailAddress, v.description("The sender; without it, what the machine's own mail system says")),
      ),
    },
    say("mail"),
  ),
  v.description("Mail by the machine's own `sendmail`, which knows the relay, its password and its TLS"),
);

const syslog = v.pipe(
  v.strictObject(
    {
      facility: v.optional(
        v.pipe(
          v.picklist(facilities, say("facility")),
          v.description("As syslog has them; daemon by default"),
        ),
      ),
    },
    say("syslog"),
  ),
  v.description("The machine's own syslog or journal, which may send it on"),
);

/** The part of the file that says who is told. Paths and trust have the form that they have everywhere in it. */
export const alertsSchema = <
  Path extends v.GenericSchema<string>,
  Trust extends v.GenericSchema<Readonly<Record<string, unknown>>>,
>(
  path: Path,
  trust: Trust,
) => {
  const webhook = v.pipe(
    v.strictObject(
      {
        url: v.optional(url),
        url_file: v.optional(
          v.pipe(path, v.description("A file, mode 600, with the one line that `url` would have")),
        ),
        headers: v.optional(
          v.pipe(path, v.description("A file, mode 600, with a header on each line: Name: value")),
        ),
        trust: v.optional(trust),
      },
      say("webhook"),
    ),
    v.check((each) => (each.url === undefined) !== (each.url_file === undefined), say("webhook-one")),
    v.description("A POST of JSON over HTTPS; docs/alerts.md has its form"),
  );
  const alert = v.pipe(
    v.strictObject(
      { webhook: v.optional(webhook), mail: v.optional(mail), syslog: v.optional(syslog) },
      say("alert"),
    ),
    v.minEntries(1, say("alert")),
    v.maxEntries(1, say("alert")),
  );
  return v.pipe(
    v.array(alert, say("alerts")),
    v.maxLength(alerts_max, say("alerts-many")),
    v.description(
      "Who is told what happens here: any number of webhook, mail and syslog, each begun with `- `",
    ),
  );
};

export function isHttps(text: string): boolean {
  if (!URL.canParse(text) || !/^https:\/\/[^/\s]/i.test(text) || /[\s\p{Cc}\\]/u.test(text)) return false;
  const { protocol, username, password, hostname } = new URL(text);
  return protocol === "https:" && username === "" && password === "" && hostname !== "";
}
