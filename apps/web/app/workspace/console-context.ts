import type { PageAnswer, PageAsk } from '@vitrine/sandbox/host';
import { createContext, useContext } from 'react';
import type { GoTo } from './source-link.tsx';

/** Actions available to values in the console. */
export interface ConsoleActs {
  readonly goTo: GoTo;
  /** Sends a query to the page that logged an entry. */
  readonly ask: (ask: PageAsk, document: number) => Promise<PageAnswer>;
}

export const ConsoleContext = createContext<ConsoleActs | null>(null);

export function useConsole(): ConsoleActs {
  const acts = useContext(ConsoleContext);
  if (!acts) throw new Error('ConsoleContext is missing');
  return acts;
}
