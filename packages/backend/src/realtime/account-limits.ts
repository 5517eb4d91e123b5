import { realtimeLimits } from './limits.ts';
import { createTokenBucket, type TokenBucket } from './token-bucket.ts';

/** Limits of all sockets of an account together. Idle accounts are removed by `sweep`. */
export interface AccountLimits {
  /**
   * Reserves a channel with its subscriptions to row changes; false when the account has too many
   * of either.
   */
  acquireChannel(account: string, interests: number): boolean;
  releaseChannel(account: string, interests: number): void;
  consumeMessage(account: string): boolean;
  sweep(): void;
}

interface Account {
  channels: number;
  interests: number;
  readonly messages: TokenBucket;
}

export function createAccountLimits(): AccountLimits {
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
    acquireChannel(account, interests) {
      const entry = getAccount(account);
      const { maxChannelsPerAccount, maxSubscriptionsPerAccount } = realtimeLimits;
      if (entry.channels >= maxChannelsPerAccount) return false;
      if (entry.interests + interests > maxSubscriptionsPerAccount) return false;
      entry.channels++;
      entry.interests += interests;
      return true;
    },
    releaseChannel(account, interests) {
      const entry = getAccount(account);
      entry.channels--;
      entry.interests -= interests;
    },
    consumeMessage: (account) => getAccount(account).messages.takeToken(),
    sweep() {
      for (const [account, { channels, messages }] of accounts) {
        if (channels === 0 && messages.isFull()) accounts.delete(account);
      }
    },
  };
}
