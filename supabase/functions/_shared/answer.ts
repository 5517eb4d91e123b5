/**
 * The app and the functions may have different origins. Access depends on the token, not on
 * cookies.
 */
const crossOrigin = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'authorization, apikey, content-type, x-client-info',
  'access-control-allow-methods': 'POST',
  'access-control-max-age': '7200',
};

/** An error response with a code of the app's error catalog. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, code: string) {
    super(code);
    this.name = 'Refusal';
    this.status = status;
  }
}

/**
 * Handles POST with `work`, and the preflight request. Turns thrown errors into responses. Visitors,
 * who have no bearer token, are refused unless `allowsVisitors`; `bearer` is "" for them.
 */
export async function answerPost(
  request: Request,
  work: (bearer: string) => Promise<Response>,
  { allowsVisitors = false } = {},
): Promise<Response> {
  if (request.method === 'OPTIONS')
    return new Response(null, { status: 204, headers: crossOrigin });
  const answer = await attempt(request, work, allowsVisitors);
  for (const [name, value] of Object.entries(crossOrigin)) answer.headers.set(name, value);
  return answer;
}

async function attempt(
  request: Request,
  work: (bearer: string) => Promise<Response>,
  allowsVisitors: boolean,
): Promise<Response> {
  try {
    if (request.method !== 'POST') throw new Refusal(405, 'bad_request');
    const bearer = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
    // Without a session, clients send no token, or the publishable key.
    const isVisitor = bearer === undefined || bearer === request.headers.get('apikey');
    if (isVisitor && allowsVisitors) return await work('');
    if (bearer === undefined) throw new Refusal(401, 'session_expired');
    return await work(bearer);
  } catch (error) {
    if (error instanceof Refusal) {
      return Response.json({ code: error.message }, { status: error.status });
    }
    console.error(error instanceof Error ? error.message : error);
    return Response.json({ code: 'unexpected' }, { status: 500 });
  }
}
