import type { ConsoleResponse, ConsoleRequest } from '../../console-messages.ts';
import type { RespondToRequest } from './console-responses.ts';
import type { Connection } from '../connection.ts';
import { scriptUrls } from '../environment.ts';
import { targetOf } from './proxies.ts';
import { createValueSerializer, type SerializationContext } from './value-serializer.ts';

/**
 * Handles console requests of the app with a script that the first request loads. `base` is the URL of the
 * frame's own script, because browsers hide it from scripts of another origin.
 */
export function createConsoleRequestHandler(
  connection: Connection,
  serializationContext: SerializationContext,
  base: string,
): (id: number, request: ConsoleRequest) => void {
  let loading: Promise<RespondToRequest> | undefined;

  const respond = async (
    request: Exclude<ConsoleRequest, { kind: 'forget' }>,
  ): Promise<ConsoleResponse> => {
    try {
      const respondToRequest = await (loading ??= load(base));
      return await respondToRequest(request, {
        handles: serializationContext.objects,
        createSerializer: () => createValueSerializer(serializationContext),
        targetOf,
      });
    } catch {
      // The script failed to load, or built-ins changed by the page failed. Reported as a gone object.
      loading = undefined;
      return { kind: 'gone' };
    }
  };

  const send = async (id: number, request: Exclude<ConsoleRequest, { kind: 'forget' }>) => {
    const response = await respond(request);
    // Entries logged by the code come before its value.
    serializationContext.flush?.();
    connection.send({ type: 'console-response', id, response });
  };
  return (id, request) => {
    if (request.kind === 'forget') serializationContext.objects.clear();
    else void send(id, request);
  };
}

async function load(base: string): Promise<RespondToRequest> {
  const module = (await import(new URL(scriptUrls['console-responses'], base).href)) as {
    respondToRequest: RespondToRequest;
  };
  return module.respondToRequest;
}
