import type { ConsoleResponse, ConsoleRequest } from '../console-messages.ts';
import type { AnswerAsk } from './console-answers.ts';
import type { Connection } from './connection.ts';
import { scriptUrls } from './environment.ts';
import { targetOf } from './proxies.ts';
import { createValueSerializer, type SerializationContext } from './value-serializer.ts';

/**
 * Handles console requests of the app with a script that the first request loads. `base` is the URL of the
 * frame's own script, because browsers hide it from scripts of another origin.
 */
export function createConsoleRequestHandler(
  connection: Connection,
  surroundings: SerializationContext,
  base: string,
): (id: number, ask: ConsoleRequest) => void {
  let loading: Promise<AnswerAsk> | undefined;

  const answer = async (
    ask: Exclude<ConsoleRequest, { kind: 'forget' }>,
  ): Promise<ConsoleResponse> => {
    try {
      const answerAsk = await (loading ??= load(base));
      return await answerAsk(ask, {
        handles: surroundings.objects,
        createSerialiser: () => createValueSerializer(surroundings),
        targetOf,
      });
    } catch {
      // The script failed to load, or built-ins changed by the page failed. Reported as a gone object.
      loading = undefined;
      return { kind: 'gone' };
    }
  };

  const send = async (id: number, ask: Exclude<ConsoleRequest, { kind: 'forget' }>) => {
    const response = await answer(ask);
    // Entries logged by the code come before its value.
    surroundings.flush?.();
    connection.send({ type: 'console-answer', id, answer: response });
  };
  return (id, ask) => {
    if (ask.kind === 'forget') surroundings.objects.clear();
    else void send(id, ask);
  };
}

async function load(base: string): Promise<AnswerAsk> {
  const module = (await import(new URL(scriptUrls['console-answers'], base).href)) as {
    answerAsk: AnswerAsk;
  };
  return module.answerAsk;
}
