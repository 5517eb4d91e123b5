import { TokenBucket } from '@vitrine/project';
import { realtimeLimits } from './limits.ts';

/** Limits of all sockets of an account together. Idle accounts are removed by `removeIdle`. */
export interface AccountLimits {
  /**
   * Reserves a channel with its subscriptions to row changes; false when the account has too many
   * of either.
   */
  acquireChannel(account: string, subscriptions: number): boolean;
  releaseChannel(account: string, subscriptions: number): void;
  consumeMessage(account: string): boolean;
  removeIdle(): void;
}

interface Account {
  channels: number;
  subscriptions: number;
  readonly messageLimiter: TokenBucket;
}

export function createAccountLimits(): AccountLimits {
  const accounts = new Map<string, Account>();
  const getAccount = (account: string) => {
    const existing = accounts.get(account);
    if (existing) return existing;
    const created = {
      channels: 0,
      subscriptions: 0,
      messageLimiter: new TokenBucket(realtimeLimits.messagesPerAccount),
    };
    accounts.set(account, created);
    return created;
  };
  return {
    acquireChannel(account, subscriptions) {
      const entry = getAccount(account);
      const { maxChannelsPerAccount, maxSubscriptionsPerAccount } = realtimeLimits;
      if (entry.channels >= maxChannelsPerAccount) return false;
      if (entry.subscriptions + subscriptions > maxSubscriptionsPerAccount) return false;
      entry.channels++;
      entry.subscriptions += subscriptions;
      return true;
    },
    releaseChannel(account, subscriptions) {
      const entry = getAccount(account);
      entry.channels--;
      entry.subscriptions -= subscriptions;
    },
    consumeMessage: (account) => getAccount(account).messageLimiter.tryConsume(),
    removeIdle() {
      for (const [account, { channels, messageLimiter }] of accounts) {
        if (channels === 0 && messageLimiter.isFull()) accounts.delete(account);
      }
    },
  };
}
