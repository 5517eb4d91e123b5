/** What a preview's origin is for, read from the first label of its host. */
export type PreviewKey =
  /** `SLUG`: the saved project, shown by cards, embeds and `/full`. No service worker. */
  | { kind: 'saved'; key: string; slug: string }
  /** `edit--SLUG`: a saved project as somebody is editing it. */
  | { kind: 'edit'; key: string; slug: string }
  /** `draft--ID`: a draft, whose files the server does not have. */
  | { kind: 'draft'; key: string }
  /** `tests--NAME`: the tests of either, apart from its page and its storage. */
  | { kind: 'tests'; key: string }
  /** `devtools--NAME`: the front end of the DevTools tab, in a frame beside the page of either. */
  | { kind: 'devtools'; key: string };

/** The key of a preview, from what is put in front of a preview host; undefined for anything else. */
export function parsePreviewKey(label: string): PreviewKey | undefined {
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

/** `edit--abc.vitrine.localhost:4000` under `vitrine.localhost:4000` → the key `edit--abc`. */
export function findPreviewKey(host: string, hosts: readonly string[]): PreviewKey | undefined {
  const parent = hosts.find((candidate) => host.endsWith(`.${candidate}`));
  return parent === undefined ? undefined : parsePreviewKey(host.slice(0, -parent.length - 1));
}
