/** The app may have another origin than the functions; what lets it in is the token, not a cookie. */
const crossOrigin = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'authorization, apikey, content-type, x-client-info',
  'access-control-allow-methods': 'POST',
  'access-control-max-age': '7200',
};

/** A refusal, by the code that the app's catalogue of errors has for it. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, code: string) {
    super(code);
    this.name = 'Refusal';
    this.status = status;
  }
}

/** Answers POST by `work` and the browser's question before it; what is thrown ends here. */
export async function answerPost(
  request: Request,
  work: (bearer: string) => Promise<Response>,
): Promise<Response> {
  if (request.method === 'OPTIONS')
    return new Response(null, { status: 204, headers: crossOrigin });
  const answer = await attempt(request, work);
  for (const [name, value] of Object.entries(crossOrigin)) answer.headers.set(name, value);
  return answer;
}

async function attempt(
  request: Request,
  work: (bearer: string) => Promise<Response>,
): Promise<Response> {
  try {
    if (request.method !== 'POST') throw new Refusal(405, 'bad_request');
    const bearer = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
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
