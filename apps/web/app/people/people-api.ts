import type { SupabaseClient } from '@supabase/supabase-js';
import { isRecord, VitrineError } from '@vitrine/project';
import { useState } from 'react';
import { invokeFunction } from '../account/settings/invoke-function.ts';
import { useClient } from '../session/use-client.ts';
import { callDatabase } from '../workspace/saving/project-api.ts';
import {
  parseAccess,
  parsePeople,
  parsePerson,
  type MemberRole,
  type People,
  type PeopleRole,
  type Person,
  type ProjectAccess,
} from './people.ts';

/** Role and lifetime of a new invitation. */
export interface InvitationTerms {
  readonly role: PeopleRole;
  readonly days: number;
}

/** A new invitation that has a link. Only this answer contains it. */
export interface CreatedLink {
  readonly path: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/**
 * Database calls for a project's people and their invitations. Each rejects with a `VitrineError`.
 * Row-level security authorizes each call.
 */
export interface PeopleApi {
  list(project: string): Promise<People>;
  /** The user with exactly this username. */
  findUser(username: string): Promise<Person | null>;
  inviteUser(project: string, username: string, terms: InvitationTerms): Promise<void>;
  /** `isSent` is false if no email was sent, so that the user has to send the link. */
  inviteByEmail(
    project: string,
    email: string,
    terms: InvitationTerms,
  ): Promise<CreatedLink & { readonly isSent: boolean }>;
  createLink(project: string, terms: InvitationTerms): Promise<CreatedLink>;
  revoke(invitation: string): Promise<void>;
  setRole(project: string, member: string, role: MemberRole): Promise<void>;
  remove(project: string, member: string): Promise<void>;
  leave(project: string): Promise<void>;
  /** @param invitation its token, or the id for the user it was made to */
  accept(invitation: string): Promise<ProjectAccess>;
  decline(invitation: string): Promise<void>;
}

/** The calls of this page's user, with the same identity in every render. */
export function usePeopleApi(): PeopleApi {
  const getClient = useClient();
  const [api] = useState(() => createPeopleApi(getClient));
  return api;
}

function createPeopleApi(getClient: () => Promise<SupabaseClient>): PeopleApi {
  async function call(name: string, values: Record<string, unknown>): Promise<unknown> {
    const supabase = await getClient();
    return callDatabase(supabase.rpc(name, values));
  }

  return {
    list: async (project) => parsePeople(await call('list_people', { project })),
    async findUser(username) {
      const supabase = await getClient();
      const row = await callDatabase(
        supabase
          .from('profiles')
          .select('id, username, display_name, avatar_path')
          .eq('username', username)
          .maybeSingle(),
      );
      return row === null ? null : parsePerson(row);
    },
    async inviteUser(project, username, terms) {
      await call('invite_to_project', { project, username, ...terms });
    },
    async inviteByEmail(project, email, terms) {
      const supabase = await getClient();
      const invitation = { project, email, ...terms };
      const response = await invokeFunction(supabase, 'invite-by-email', 'unexpected', {
        body: invitation,
      });
      if (response.code === undefined) {
        const { data } = response;
        return { ...parseLink(data), isSent: isRecord(data) && data['sent'] === true };
      }
      if (response.code !== 'unexpected') throw new VitrineError(response.code);
      // A hosted backend without the function. A repeated invitation replaces the first.
      return { ...parseLink(await call('invite_to_project', invitation)), isSent: false };
    },
    createLink: async (project, terms) =>
      parseLink(await call('invite_to_project', { project, ...terms })),
    async revoke(invitation) {
      await call('revoke_invitation', { invitation });
    },
    async setRole(project, member, role) {
      await call('set_member_role', { project, member, role });
    },
    async remove(project, member) {
      await call('remove_member', { project, member });
    },
    async leave(project) {
      await call('leave_project', { project });
    },
    accept: async (invitation) => parseAccess(await call('accept_invitation', { invitation })),
    async decline(invitation) {
      await call('decline_invitation', { invitation });
    },
  };
}

function parseLink(value: unknown): CreatedLink {
  const { token, expires_at: expiresAt } = isRecord(value) ? value : {};
  if (typeof token !== 'string' || typeof expiresAt !== 'string')
    throw new VitrineError('unexpected', 'invite_to_project returned an unexpected value');
  return { path: `/invitations/${token}`, expiresAt };
}
