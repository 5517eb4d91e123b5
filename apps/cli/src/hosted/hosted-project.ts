import { randomUUID } from 'node:crypto';
import { formatCount } from '../terminal.ts';

/** A Supabase project to check, from environment variables. */
export interface HostedProjectKeys {
  url: string;
  publishableKey: string;
  secretKey: string;
}

export interface CheckUser {
  id: string;
  email: string;
  password: string;
  token: string;
}

interface CheckResponse {
  status: number;
  body: unknown;
}

interface CheckRequest {
  /** Undefined sends only the publishable key, as a visitor does. */
  as?: CheckUser | 'secret';
  method?: string;
  /** Sent as JSON, unless it is a Uint8Array. */
  body?: unknown;
  headers?: Record<string, string>;
}

export interface HostedProject extends HostedProjectKeys {
  request(path: string, question?: CheckRequest): Promise<CheckResponse>;
  /** Creates a user with a confirmed email and signs in. Sends no mail. */
  createUser(): Promise<CheckUser>;
  /** Deletes all users that `createUser` created, with their data. */
  deleteUsers(): Promise<void>;
}

/** A failed check; the message describes what was found. */
export class CheckFailure extends Error {}

/** Throws a CheckFailure unless the response has one of `statuses`. */
export function expectStatus(response: CheckResponse, what: string, ...statuses: number[]): void {
  if (statuses.includes(response.status)) return;
  const bodyText = JSON.stringify(response.body)?.slice(0, 300) ?? '';
  throw new CheckFailure(
    `${what}: expected status ${statuses.join(' or ')}, got ${response.status} ${bodyText}`,
  );
}

/** Throws a CheckFailure unless the response has `count` rows. */
export function expectRows(response: CheckResponse, what: string, count: number): void {
  expectStatus(response, what, 200);
  const rows = Array.isArray(response.body) ? response.body.length : undefined;
  if (rows !== count)
    throw new CheckFailure(`${what}: expected ${formatCount(count, 'row')}, got ${rows ?? 'none'}`);
}

export function readField(body: unknown, ...names: string[]): unknown {
  return names.reduce<unknown>((from, name) => Reflect.get(Object(from), name), body);
}

export function openHostedProject(keys: HostedProjectKeys): HostedProject {
  const userIds = new Set<string>();
  const ask = async (path: string, question: CheckRequest = {}): Promise<CheckResponse> => {
    const asked = new Request(new URL(path, keys.url), request(keys, question));
    const { status, text } = await send(asked);
    return { status, body: parseJsonOrText(text) };
  };
  return {
    ...keys,
    request: ask,
    async createUser() {
      const name = `check${randomUUID().slice(0, 8)}`;
      const credentials = {
        email: `${name}@example.com`,
        password: `${randomUUID()} of the check`,
      };
      const userId = randomUUID();
      // Recorded before the request: the user may exist even when the response is lost.
      userIds.add(userId);
      const made = await ask('/auth/v1/admin/users', {
        as: 'secret',
        method: 'POST',
        body: {
          ...credentials,
          id: userId,
          email_confirm: true,
          user_metadata: { username: name },
        },
      });
      if (made.status >= 400 && made.status < 500) userIds.delete(userId);
      expectStatus(made, 'Creating a user with the secret key', 200, 201);
      const id = String(readField(made.body, 'id'));
      userIds.add(id);
      const body = credentials;
      const session = await ask('/auth/v1/token?grant_type=password', { method: 'POST', body });
      expectStatus(session, 'Signing in with the password', 200);
      return { ...credentials, id, token: String(readField(session.body, 'access_token')) };
    },
    async deleteUsers() {
      const remaining: string[] = [];
      for (const id of userIds) {
        try {
          const body = { should_soft_delete: false };
          const remove = { as: 'secret', method: 'DELETE', body } as const;
          const gone = await ask(`/auth/v1/admin/users/${id}`, remove);
          expectStatus(gone, 'deleting the user', 200, 404);
        } catch (error) {
          if (!(error instanceof CheckFailure)) throw error;
          remaining.push(`${id} (${error.message})`);
        }
      }
      userIds.clear();
      if (remaining.length > 0)
        throw new CheckFailure(`test users may not have been deleted: ${remaining.join(', ')}`);
    },
  };
}

/** Throws a CheckFailure when there is no complete response. */
async function send(asked: Request): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(asked);
    return { status: response.status, text: await response.text() };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const reason = describeConnectionError(error.cause ?? error);
    throw new CheckFailure(`no response (${reason})`, { cause: error });
  }
}

/**
 * Describes a connection error. When no address of a host responds, the message is empty and the
 * code has the reason.
 */
export function describeConnectionError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
}

function request(
  keys: HostedProjectKeys,
  { as, method = 'GET', body, headers }: CheckRequest,
): RequestInit {
  const bearer = as === 'secret' ? keys.secretKey : as?.token;
  const isBytes = body instanceof Uint8Array;
  return {
    method,
    headers: {
      apikey: as === 'secret' ? keys.secretKey : keys.publishableKey,
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      ...(body === undefined || isBytes ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) }),
  };
}

/** Parses JSON; other responses, such as pages and files, stay text. */
export function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
