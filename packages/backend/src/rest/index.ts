import { describeErrorForLog } from '../log.ts';
import type { Log } from '../log.ts';
import type { DatabaseAddress } from '../postgres/index.ts';
import { parseAccept } from './response-format.ts';
import { createRestErrorResponse } from './responses.ts';
import type { Caller } from './caller.ts';
import { mapRestDatabaseError } from './database-error.ts';
import { handleCall } from './handle-call.ts';
import { handleRead } from './handle-read.ts';
import { handleWrite } from './handle-write.ts';
import { restLimits } from './limits.ts';
import { parsePreferHeader } from './request/preferences.ts';
import { formatVisibleHeaders } from './request/request-headers.ts';
import type { RestRequest } from './request/rest-request.ts';
import { RestError, createSyntaxError } from './rest-error.ts';
import { openSchemaCache } from './schema/schema-cache.ts';
import { openSessionPool } from './session-pool.ts';

export type { Caller, DatabaseRole } from './caller.ts';

export interface RestService {
  /**
   * Handles a request for `/rest/v1/…` as the caller, whose key and token were verified before.
   * Never throws.
   */
  handle(request: Request, caller: Caller): Promise<Response>;
  close(): Promise<void>;
}

/**
 * Serves PostgREST's protocol on a database, connected as the role `authenticator`. Reads the
 * schema at the start, and again after `notify pgrst, 'reload schema'`.
 *
 * A request is parsed (`request-query.ts` and the grammars), planned against the schema
 * (`plan-read.ts`, `plan-call.ts`), compiled to one SQL statement (`read-sql.ts`, `write-sql.ts`,
 * `call-sql.ts`), run in a transaction (`transaction.ts`) and answered (`responses.ts`).
 */
export function createRest(options: {
  /** Connection as the user `authenticator`. */
  database: DatabaseAddress;
  /** Exposed schemas, unless the database's settings name others. */
  schemas: readonly string[];
  log: Log;
  /** Number of sessions, which bounds concurrent requests. */
  sessions?: number;
}): RestService {
  const { database, schemas, log, sessions = 16 } = options;
  const cache = openSchemaCache(database, schemas, log);
  const pool = openSessionPool(database, sessions);

  async function answer(request: Request, caller: Caller): Promise<Response> {
    const { target, url } = parseTarget(request);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    assertMethod(request.method, target);
    const { headers } = request;
    const preferences = parsePreferHeader(headers.get('prefer'));
    const restRequest: RestRequest = {
      request,
      caller,
      params: url.searchParams,
      format: parseAccept(headers.get('accept')),
      preferences,
      context: {
        method: request.method,
        path: url.pathname.slice('/rest/v1'.length),
        headers: formatVisibleHeaders(headers),
        ...(preferences.timezone === undefined ? {} : { timezone: preferences.timezone }),
      },
      profile: headers.get(isRead ? 'accept-profile' : 'content-profile'),
      cache,
      pool,
    };
    const handle = target.kind === 'function' ? handleCall : isRead ? handleRead : handleWrite;
    const response = await handle(restRequest, target.name);
    if (restRequest.profile !== null) response.headers.set('content-profile', restRequest.profile);
    return response;
  }

  return {
    async handle(request, caller) {
      try {
        return await answer(request, caller);
      } catch (error) {
        const restError =
          error instanceof RestError ? error : mapRestDatabaseError(error, caller.role);
        if (restError.status >= 500 && restError !== error) {
          log.error('A REST request failed.', {
            code: restError.code,
            reason: describeErrorForLog(error),
          });
        }
        return createRestErrorResponse(restError, request.method === 'HEAD');
      }
    },
    async close() {
      await Promise.all([pool.close(), cache.close()]);
    },
  };
}

type Target = { kind: 'relation' | 'function'; name: string };

/** Parses the path: `/rest/v1/books` is a relation, `/rest/v1/rpc/like` a function. */
function parseTarget(request: Request): { target: Target; url: URL } {
  if (request.url.length > restLimits.maxUrlBytes) {
    throw new RestError(414, 'PGRST100', 'The URL is too long', {
      details: `At most ${restLimits.maxUrlBytes} bytes are read.`,
    });
  }
  const url = new URL(request.url);
  const [, rpc, encoded] = /^\/rest\/v1\/(rpc\/)?([^/]+)\/?$/.exec(url.pathname) ?? [];
  if (encoded === undefined) {
    throw new RestError(404, 'PGRST125', 'Invalid path specified in request URL');
  }
  return { target: { kind: rpc ? 'function' : 'relation', name: decodeName(encoded) }, url };
}

function decodeName(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch (cause) {
    throw Object.assign(createSyntaxError('The path is not valid'), { cause });
  }
}

function assertMethod(method: string, target: Target): void {
  const allowed =
    target.kind === 'function'
      ? ['GET', 'HEAD', 'POST']
      : ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
  if (!allowed.includes(method)) {
    throw new RestError(405, 'PGRST117', `Unsupported HTTP method: ${method}`);
  }
}
