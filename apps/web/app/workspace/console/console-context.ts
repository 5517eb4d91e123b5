import type { ObjectQueryResponse, ObjectQuery } from '@vitrine/sandbox/host';
import { createContext, useContext } from 'react';
import type { OpenLocation } from '../problems/source-link.tsx';

/** Actions available to values in the console. */
export interface ConsoleActions {
  readonly goTo: OpenLocation;
  /** Sends a query to the page that logged an entry. */
  readonly query: (query: ObjectQuery, document: number) => Promise<ObjectQueryResponse>;
}

export const ConsoleContext = createContext<ConsoleActions | null>(null);

export function useConsoleActions(): ConsoleActions {
  const acts = useContext(ConsoleContext);
  if (!acts) throw new Error('ConsoleContext is missing');
  return acts;
}
