/**
 * What runs first in every document of a preview, in front of user code. It says hello to the app's
 * page, answers its pings, tells it what the page logs and what goes wrong, and puts edits in place.
 * User code shares this realm: nothing here may be relied on for anyone's safety but its own.
 */
import type { HotMessage } from '../hot-messages.ts';
import type { Outcome, ToFrame } from '../protocol.ts';
import { go, travel, watchAddress } from './address.ts';
import { createComponents } from './components.ts';
import { connect, type Connection } from './connection.ts';
import { watchConsole } from './console.ts';
import { watchDialogs } from './dialogs.ts';
import { createHandles } from './handles.ts';
import { createAnswers } from './console-asks.ts';
import { watchProxies } from './proxies.ts';
import { readDocumentFacts, takeRunParameter, type DocumentFacts } from './environment.ts';
import { createHot } from './hot.ts';
import { importNew } from './hot-modules.ts';
import { tellWhenPainted } from './painted.ts';
import { patchDocument } from './patch-document.ts';
import { runOwnScript } from './own-scripts.ts';
import { offerPageInterface } from './page-interface.ts';
import { nameBlobs, remakeBlobs } from './blobs.ts';
import type { becomeProject } from './portable.ts';
import { createPositions } from './positions.ts';
import { watchProblems } from './problems.ts';
import { restoreScroll, show, tellWhenLeaving } from './reload.ts';
import { installServiceWorker, isControlled, relay } from './service-worker.ts';
import { createStyles } from './styles.ts';
import { createTools } from './tools.ts';
import { watchUsage } from './usage.ts';

/** Only the page of the portable path is given what makes it the project's; see portable-main.ts. */
export function startDocument(become?: typeof becomeProject): void {
  const script = document.currentScript;
  if (script instanceof HTMLScriptElement && parent !== window)
    start(readDocumentFacts(script), script, become);
}

function start(
  facts: DocumentFacts,
  script: HTMLScriptElement,
  become: typeof becomeProject | undefined,
): void {
  const { scroll, tools: wanted } = takeRunParameter() ?? {};
  if (scroll) restoreScroll(scroll);
  /** Addresses that stand for files: the blobs of the portable path. */
  const aliases = new Map<string, string>();
  /** Of those, the newest blob of each module that an update has made, by id. */
  const remade = new Map<string, string>();
  const positions = createPositions(facts, aliases);
  const styles = createStyles(positions, (text) => nameBlobs(text, aliases));
  const usage = watchUsage(positions);
  const surroundings = {
    handles: createHandles(),
    cleanStack: (stack: string) => positions.clean(stack),
  };
  const connection = connect(facts, obey);
  const answerAsk = createAnswers(connection, surroundings, script.src);
  const components = createComponents((name) => runOwnScript(name, script.src));
  const hot = createHot({
    components,
    importModule: (update) => importNew(update, aliases),
    invalidate: (id) => connection.send({ type: 'invalid', id }),
  });
  offerPageInterface(hot, components);
  const tools = createTools(
    { connection, positions, own: (node) => styles.own(node) },
    facts.shown.kind === 'portable',
  );
  watchDocument();
  if (wanted) tools.beginWith(wanted);
  if (facts.shown.kind === 'boot') tryInstall(connection);

  function watchDocument(): void {
    watchProblems(connection, positions, () => facts.path);
    tellWhenLeaving(() => connection.send({ type: 'leaving' }));
    if (facts.shown.kind === 'boot') return;
    watchProxies();
    watchConsole(connection, positions, surroundings);
    watchDialogs(connection);
    if (facts.shown.kind === 'portable') return;
    watchAddress(connection, facts);
    tellWhenPainted(tellPainted);
  }

  function tellPainted(): void {
    connection.send({ type: 'painted' });
    void components.load();
  }

  async function update(message: HotMessage): Promise<void> {
    const { version } = message;
    const isOurs = facts.shown.kind === 'portable' || (await isControlled());
    const answer = (outcome: Outcome) => connection.send({ type: 'applied', version, outcome });
    const { unlessUsed } = message;
    if (!isOurs || (unlessUsed.length > 0 && usage.mayUse(unlessUsed))) return answer('reload');
    styles.apply(message.styles, []);
    const takeBack = remakeBlobs(message.files, aliases, remade);
    answer((await hot.apply(message)) ? 'done' : 'failed');
    takeBack();
  }

  function obey(message: ToFrame, ports: readonly MessagePort[]): void {
    switch (message.type) {
      case 'ping':
        connection.send({ type: 'pong', count: message.count });
        break;
      case 'install':
        tryInstall(connection);
        break;
      case 'relay':
        relay(message.message, ports).catch(() => connection.send({ type: 'refused' }));
        break;
      case 'show':
        if (message.unlessUnused && !usage.mayUse(message.unlessUnused))
          connection.send({ type: 'applied', version: message.version, outcome: 'unused' });
        else {
          hot.beforeReload();
          show(message.run, message.path);
        }
        break;
      case 'hot':
        void update(message);
        break;
      case 'style':
        connection.send({
          type: 'applied',
          version: message.version,
          outcome: styles.apply(message.styles, message.parts),
        });
        break;
      case 'document':
        connection.send({
          type: 'applied',
          version: message.version,
          outcome: patchDocument(
            message.before,
            message.text,
            (node) => node === script || styles.isOurs(node),
          ),
        });
        break;
      case 'console-ask':
        answerAsk(message.id, message.ask);
        break;
      case 'write':
        void become?.(message.project, {
          facts,
          aliases,
          connection,
          tools,
          watchProblems: () => watchProblems(connection, positions, () => facts.path, true),
          tellPainted,
        });
        break;
      case 'go':
        go(message.run, message.address);
        break;
      case 'travel':
        travel(message.by);
        break;
      case 'tool':
        tools.tell(message.message);
        break;
      case 'test':
        // For the page of the tests, which has a script of its own.
        break;
    }
  }
}

function tryInstall(connection: Connection): void {
  installServiceWorker().catch(() => connection.send({ type: 'refused' }));
}
