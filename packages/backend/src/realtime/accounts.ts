import { realtimeLimits } from './limits.ts';
import { createTokenBucket, type TokenBucket } from './token-bucket.ts';

/** What all sockets of one account use together. An entry goes when it says nothing any more. */
export interface Accounts {
  /** False where the account is in as many channels as it may be. */
  takeChannel(account: string): boolean;
  giveChannel(account: string): void;
  takeMessage(account: string): boolean;
  sweep(): void;
}

export function createAccounts(): Accounts {
  const accounts = new Map<string, { channels: number; messages: TokenBucket }>();
  const get = (account: string) => {
    const found = accounts.get(account);
    if (found) return found;
    const made = { channels: 0, messages: createTokenBucket(realtimeLimits.messagesOfAccount) };
    accounts.set(account, made);
    return made;
  };
  return {
    takeChannel(account) {
      const entry = get(account);
      if (entry.channels >= realtimeLimits.maxChannelsOfAccount) return false;
      entry.channels++;
      return true;
    },
    giveChannel(account) {
      get(account).channels--;
    },
    takeMessage: (account) => get(account).messages.take(),
    sweep() {
      for (const [account, { channels, messages }] of accounts) {
        if (channels === 0 && messages.isFull()) accounts.delete(account);
      }
    },
  };
}
