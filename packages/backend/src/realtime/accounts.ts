import { realtimeLimits } from './limits.ts';
import { createTokenBucket, type TokenBucket } from './token-bucket.ts';

/** Limits of all sockets of an account together. Idle accounts are removed by `sweep`. */
export interface Accounts {
  /**
   * Reserves a channel with its subscriptions to row changes; false when the account has too many
   * of either.
   */
  takeChannel(account: string, interests: number): boolean;
  giveChannel(account: string, interests: number): void;
  takeMessage(account: string): boolean;
  sweep(): void;
}

interface Account {
  channels: number;
  interests: number;
  readonly messages: TokenBucket;
}

export function createAccounts(): Accounts {
  const accounts = new Map<string, Account>();
  const getAccount = (account: string) => {
    const existing = accounts.get(account);
    if (existing) return existing;
    const created = {
      channels: 0,
      interests: 0,
      messages: createTokenBucket(realtimeLimits.messagesPerAccount),
    };
    accounts.set(account, created);
    return created;
  };
  return {
    takeChannel(account, interests) {
      const entry = getAccount(account);
      const { maxChannelsPerAccount, maxSubscriptionsPerAccount } = realtimeLimits;
      if (entry.channels >= maxChannelsPerAccount) return false;
      if (entry.interests + interests > maxSubscriptionsPerAccount) return false;
      entry.channels++;
      entry.interests += interests;
      return true;
    },
    giveChannel(account, interests) {
      const entry = getAccount(account);
      entry.channels--;
      entry.interests -= interests;
    },
    takeMessage: (account) => getAccount(account).messages.take(),
    sweep() {
      for (const [account, { channels, messages }] of accounts) {
        if (channels === 0 && messages.isFull()) accounts.delete(account);
      }
    },
  };
}
