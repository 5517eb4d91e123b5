import type { ConsoleAnswer, ConsoleAsk } from '../console-messages.ts';
import type { AnswerAsk } from './console-answers.ts';
import type { Connection } from './connection.ts';
import { scriptAddresses } from './environment.ts';
import { targetOf } from './proxies.ts';
import { createSerialiser, type Surroundings } from './serialise.ts';

/**
 * Answers what the app's console asks of this page, by a script that the first question loads; `base`
 * is the address of the frame's own script, since browsers do not say it to one of another origin.
 */
export function createAnswers(
  connection: Connection,
  surroundings: Surroundings,
  base: string,
): (id: number, ask: ConsoleAsk) => void {
  let loading: Promise<AnswerAsk> | undefined;

  const answer = async (ask: Exclude<ConsoleAsk, { kind: 'forget' }>): Promise<ConsoleAnswer> => {
    try {
      const answerAsk = await (loading ??= load(base));
      return await answerAsk(ask, {
        handles: surroundings.handles,
        createSerialiser: () => createSerialiser(surroundings),
        targetOf,
      });
    } catch {
      // It did not load, or what the page has put in the place of built-ins failed: as if it were gone.
      loading = undefined;
      return { kind: 'gone' };
    }
  };

  const send = async (id: number, ask: Exclude<ConsoleAsk, { kind: 'forget' }>) => {
    const said = await answer(ask);
    // What the code has logged comes before its value.
    surroundings.flush?.();
    connection.send({ type: 'console-answer', id, answer: said });
  };
  return (id, ask) => {
    if (ask.kind === 'forget') surroundings.handles.forget();
    else void send(id, ask);
  };
}

async function load(base: string): Promise<AnswerAsk> {
  const module = (await import(new URL(scriptAddresses['console-answers'], base).href)) as {
    answerAsk: AnswerAsk;
  };
  return module.answerAsk;
}
