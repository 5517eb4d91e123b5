import type { RequestKind } from '../network-messages.ts';

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

/** What asked for it says most; where that can be anything, its name does. */
export function findKind({
  initiatorType,
  name,
}: Pick<PerformanceResourceTiming, 'initiatorType' | 'name'>): RequestKind {
  return kinds[initiatorType] ?? findKindByName(name);
}

function findKindByName(address: string): RequestKind {
  const [, ending = ''] = /\.(\w+)$/.exec(new URL(address).pathname) ?? [];
  if (/^(?:css|scss|less|sass)$/i.test(ending)) return 'style';
  if (/^(?:m?[jt]sx?|vue|svelte|json)$/i.test(ending)) return 'script';
  if (/^(?:woff2?|ttf|otf)$/i.test(ending)) return 'font';
  if (/^(?:png|jpe?g|gif|webp|avif|svg|ico)$/i.test(ending)) return 'image';
  return /^(?:mp[34]|webm|ogg|wav)$/i.test(ending) ? 'media' : 'other';
}
