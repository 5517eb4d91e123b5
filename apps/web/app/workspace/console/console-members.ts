import type { ConsoleMember, ConsoleObject } from '@vitrine/sandbox/host';
import { useCallback, useEffect, useState } from 'react';
import { useConsoleActions } from './console-context.ts';

interface LoadedMembers {
  readonly members: readonly ConsoleMember[];
  /** Number of members not loaded yet. */
  readonly remaining: number;
  /** Loading message, or why no more members can be loaded. */
  readonly note: string | undefined;
  readonly loadMore: () => void;
}

/** Members of an object: those sent with it, and further ones loaded from the page in batches. */
export function useObjectMembers(value: ConsoleObject, document: number): LoadedMembers {
  const { query } = useConsoleActions();
  const [members, setMembers] = useState<readonly ConsoleMember[]>(value.members);
  const [size, setSize] = useState(value.size);
  const [note, setNote] = useState<string>();
  const { handle } = value;
  const loadFrom = useCallback(
    async (from: number, before: readonly ConsoleMember[]) => {
      // A fast response needs no loading message.
      const timer = setTimeout(() => setNote('Loading…'), 200);
      const response = await query({ kind: 'open', handle, from }, document);
      clearTimeout(timer);
      if (response.kind !== 'members')
        return setNote(
          response.kind === 'silent'
            ? 'The page isn’t responding.'
            : 'This object is no longer available. Log it again to inspect it.',
        );
      setNote(undefined);
      setSize(response.size);
      setMembers([...before, ...response.members]);
    },
    [query, handle, document],
  );
  const isUnread = value.members.length === 0 && handle > 0;
  useEffect(() => {
    // oxlint-disable-next-line react/set-state-in-effect -- set after the page has responded
    if (isUnread) void loadFrom(0, []);
  }, [isUnread, loadFrom]);

  const own = members.filter(({ name }) => name !== '[[Prototype]]');
  return {
    members,
    remaining: handle > 0 && members.length > 0 ? Math.max(0, size - own.length) : 0,
    note,
    loadMore: () => void loadFrom(own.length, own),
  };
}
