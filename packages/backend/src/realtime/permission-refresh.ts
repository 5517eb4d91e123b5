import { setTimeout as delay } from 'node:timers/promises';
import type { RealtimeContext } from './channel.ts';
import { realtimeLimits } from './limits.ts';
import { logPermissionError } from './permissions.ts';
import type { ChannelPermissions } from './permissions.ts';
import type { ChannelMember } from './rooms.ts';

interface PermissionRefresh {
  /** Refreshes the permissions of one account's members. Never rejects. */
  refreshAccount(account: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Refreshes the permissions of all members of private channels in a loop, so that a revoked
 * permission ends within seconds: policies may depend on anything, and nothing announces such a
 * change. The end of a session is announced, and handled at once. Members with the same channel and
 * claims share a lookup.
 */
export function startPermissionRefresh(ctx: RealtimeContext): PermissionRefresh {
  const stopping = new AbortController();
  const running = repeat();

  async function repeat(): Promise<void> {
    while (!stopping.signal.aborted) {
      await pause();
      await refreshMembers(() => true);
    }
  }

  async function pause(): Promise<void> {
    try {
      await delay(realtimeLimits.permissionRefreshMs, undefined, {
        signal: stopping.signal,
        ref: false,
      });
    } catch (error) {
      if (!stopping.signal.aborted) throw error;
    }
  }

  async function refreshMembers(includes: (member: ChannelMember) => boolean): Promise<void> {
    const members = ctx.rooms
      .listMembers()
      .filter((member) => member.isPrivate && includes(member));
    const groups = Map.groupBy(members, ({ name, identity: { role, claims } }) =>
      JSON.stringify([name, role, claims]),
    );
    const checks = [...groups.values()].map((group) => refreshGroup(group));
    const results = await Promise.allSettled(checks);
    const failed = results.find((result) => result.status === 'rejected');
    // While the database is unavailable, permissions stay as they are.
    if (failed && !stopping.signal.aborted) logPermissionError(ctx.log, failed.reason);
  }

  async function refreshGroup(group: ChannelMember[]): Promise<void> {
    const [first] = group;
    if (!first) return;
    const { identity } = first;
    const permissions: ChannelPermissions = await ctx.permissionLookup.find(identity, first.name);
    for (const member of group) {
      // A member with a newer token was checked with that.
      if (member.identity.claims === identity.claims) member.updatePermissions(permissions);
    }
  }

  return {
    refreshAccount: (account) => refreshMembers(({ identity }) => identity.account === account),
    async close() {
      stopping.abort();
      await running;
    },
  };
}
