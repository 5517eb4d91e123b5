import type { RequestKind } from '../../network-messages.ts';

const kinds: Readonly<Record<string, RequestKind>> = {
  navigation: 'page',
  iframe: 'page',
  frame: 'page',
  script: 'script',
  img: 'image',
  image: 'image',
  input: 'image',
  video: 'media',
  audio: 'media',
  track: 'media',
  fetch: 'fetch',
  xmlhttprequest: 'fetch',
  beacon: 'fetch',
  eventsource: 'fetch',
};

/** Kind of a request, by its initiator or, where that could be anything, by the file extension. */
export function findRequestKind({
  initiatorType,
  name,
}: Pick<PerformanceResourceTiming, 'initiatorType' | 'name'>): RequestKind {
  return kinds[initiatorType] ?? findKindByName(name);
}

function findKindByName(address: string): RequestKind {
  const [, fileExtension = ''] = /\.(\w+)$/.exec(new URL(address).pathname) ?? [];
  if (/^(?:p?css|postcss|scss|less|sass)$/i.test(fileExtension)) return 'style';
  if (/^(?:m?[jt]sx?|vue|svelte|json)$/i.test(fileExtension)) return 'script';
  if (/^(?:woff2?|ttf|otf)$/i.test(fileExtension)) return 'font';
  if (/^(?:png|jpe?g|gif|webp|avif|svg|ico)$/i.test(fileExtension)) return 'image';
  return /^(?:mp[34]|webm|ogg|wav)$/i.test(fileExtension) ? 'media' : 'other';
}
