import type { Finding } from "./finding.ts";

/** Only an accepted loss needs it; and then it is too late to look for it. */
export function judgeEtcdutl(subject: string, canRaise: boolean | undefined): readonly Finding[] {
  if (canRaise === undefined) return [];
  const check = "etcdutl";
  if (canRaise)
    return [{ subject, check, mark: "ok", detail: "it can raise revisions after an accepted loss" }];
  return [
    {
      subject,
      check,
      mark: "warn",
      detail: "there is none that can raise revisions: after an accepted loss etcd's revisions would go back",
      fix: "install etcdutl of etcd's own version (Debian: etcd-client), in root's path",
    },
  ];
}
