import { VitrineError } from '@vitrine/project';

interface EntranceOptions {
  /** The project's page, `/@owner/slug`. */
  readonly address: string;
  /** The preview's origin and key. */
  readonly origin: string;
  readonly key: string;
  /** An address that came with the page, good for one use. */
  readonly first: string | null;
}

/** How a private project's preview lets this person in: an address for one use each time. */
export function createEntrance({ address, origin, key, first }: EntranceOptions) {
  let unused = first?.startsWith(`${origin}/`) ? first : null;
  return async (signal: AbortSignal): Promise<string> => {
    const ready = unused;
    unused = null;
    if (ready) return ready;
    const body = new URLSearchParams({ origin, key });
    const response = await fetch(`${address}/entry`, { method: 'POST', body, signal });
    const answer: unknown = response.ok ? await response.json() : undefined;
    if (isEntry(answer)) return answer.entry;
    throw new VitrineError('not_allowed', `entry answered ${response.status}`);
  };
}

function isEntry(answer: unknown): answer is { entry: string } {
  return (
    typeof answer === 'object' &&
    answer !== null &&
    'entry' in answer &&
    typeof answer.entry === 'string'
  );
}
