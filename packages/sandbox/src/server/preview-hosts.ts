/** Purpose of a preview's origin, from the first label of its host name. */
export type PreviewKey =
  /** `SLUG`: the saved project, for cards, embeds and `/full`. No service worker. */
  | { kind: 'saved'; key: string; slug: string }
  /** `v12--SLUG`: version 12 of a saved project, which never changes. No service worker. */
  | { kind: 'version'; key: string; slug: string; version: number }
  /** `edit--SLUG`: the live copy of a saved project. */
  | { kind: 'edit'; key: string; slug: string }
  /** `draft--ID`: a draft, whose files the server doesn't have. */
  | { kind: 'draft'; key: string }
  /** `tests--NAME`: test runs, isolated from the preview's page and storage. */
  | { kind: 'tests'; key: string }
  /** `devtools--NAME`: the DevTools front end beside a preview. */
  | { kind: 'devtools'; key: string };

/** Parses the first label of a host name; undefined if it isn't a preview's. */
function parsePreviewKey(label: string): PreviewKey | undefined {
  const [, version, slug] = /^v([1-9]\d{0,8})--([a-z0-9]{1,50})$/.exec(label) ?? [];
  if (slug !== undefined) return { kind: 'version', key: label, slug, version: Number(version) };
  const found = /^(?:(edit|draft|tests|devtools)--)?([a-z0-9]{1,56})$/.exec(label);
  const name = found?.[2];
  if (!name) return undefined;
  switch (found[1]) {
    case 'draft':
    case 'tests':
    case 'devtools':
      return { kind: found[1], key: label };
    case 'edit':
      return { kind: 'edit', key: label, slug: name };
    default:
      return { kind: 'saved', key: label, slug: name };
  }
}

/** Finds the key in a host name: `edit--abc.vitrine.localhost:4000` under `vitrine.localhost:4000` → `edit--abc`. */
export function findPreviewKey(host: string, hosts: readonly string[]): PreviewKey | undefined {
  const parent = hosts.find((candidate) => host.endsWith(`.${candidate}`));
  return parent === undefined ? undefined : parsePreviewKey(host.slice(0, -parent.length - 1));
}
