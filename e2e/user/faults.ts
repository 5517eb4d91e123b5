/** Actions on the environment: network, server and browser storage. */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Action } from './action.ts';
import { editAny } from './model.ts';
import { Finding } from './oracle.ts';
import {
  chooseFromMenu,
  poll,
  readPreview,
  reload,
  runProject,
  typeEdit,
  until,
  untilSaved,
  untilLoaded,
  untilOpen,
} from './user-page.ts';
import type { TestUser } from '../rig/test-user.ts';
import type { World } from './world.ts';

/** Browser complaints about a server that is down or starting. */
const gone =
  /ERR_(?:INTERNET_DISCONNECTED|CONNECTION_\w+|EMPTY_RESPONSE|CONTENT_LENGTH_MISMATCH|INCOMPLETE_CHUNKED_ENCODING|NETWORK_CHANGED|ABORTED|FAILED)|manifest patches|frame-ancestors 'none'|status of 50\d|response code: 50\d|WebSocket connection/;

export const faultActions: readonly Action[] = [
  {
    name: 'go offline',
    isChromium: true,
    weight: 3,
    allows: gone,
    plan(model) {
      model.connection = 'offline';
      return async ({ person }) => {
        await untilLoaded(person);
        await setOffline(person, true);
      };
    },
  },
  {
    name: 'come back online',
    weight: 30,
    isStructural: true,
    worksOffline: true,
    allows: gone,
    plan(model) {
      if (model.connection === 'online') return undefined;
      model.connection = 'online';
      model.hasUnsent = false;
      return ({ person }) => setOffline(person, false);
    },
  },
  {
    name: 'have the server killed',
    weight: 2,
    isStructural: true,
    allows: gone,
    // PostgreSQL was killed with it, and logs that.
    allowsInLog: /./,
    plan(model, choice) {
      const edit = editAny(model, choice);
      return (
        edit &&
        (async (world) => {
          await untilSaved(world.person);
          await restart(world, { signal: 'SIGKILL' }, () => typeEdit(world.person, edit));
        })
      );
    },
  },
  {
    name: 'have the server restarted',
    weight: 2,
    isStructural: true,
    allows: gone,
    plan(model, choice) {
      const edit = editAny(model, choice);
      return (
        edit &&
        (async (world) => {
          await untilSaved(world.person);
          await restart(world, { signal: 'SIGINT' }, () => typeEdit(world.person, edit));
        })
      );
    },
  },
  {
    name: 'have a newer version installed',
    weight: 1,
    isStructural: true,
    allows: gone,
    plan(model, choice) {
      const edit = editAny(model, choice);
      return (
        edit &&
        (async (world) => {
          await untilSaved(world.person);
          const how = { signal: 'SIGINT', isNewer: true } as const;
          await restart(world, how, () => typeEdit(world.person, edit));
          await reload(world.person);
        })
      );
    },
  },
  {
    name: "clear the preview's site data",
    isChromium: true,
    weight: 3,
    isStructural: true,
    plan: () => async (world) => {
      const origin = await previewOrigin(world);
      if (origin === undefined) return;
      const session = await world.person.context.newCDPSession(world.person.page);
      await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
      await session.detach();
      await reload(world.person);
    },
  },
  {
    name: 'have the service worker stopped',
    isChromium: true,
    weight: 3,
    plan(model, choice) {
      const edit = editAny(model, choice);
      return (
        edit &&
        (async ({ person }) => {
          const session = await person.context.newCDPSession(person.page);
          await session.send('ServiceWorker.enable');
          await session.send('ServiceWorker.stopAllWorkers');
          await session.detach();
          await typeEdit(person, edit);
        })
      );
    },
  },
  {
    name: "fill the preview's storage",
    isChromium: true,
    weight: 1,
    isStructural: true,
    plan(model, choice) {
      const edit = editAny(model, choice);
      return (
        edit &&
        (async (world) => {
          const { person } = world;
          const origin = await previewOrigin(world);
          const session = await person.context.newCDPSession(person.page);
          if (origin !== undefined)
            await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1 });
          await typeEdit(person, edit);
          await reload(person);
          if (origin !== undefined)
            await session.send('Storage.overrideQuotaForOrigin', { origin });
          await session.detach();
        })
      );
    },
  },
  {
    name: 'look at it on a phone',
    weight: 2,
    plan: () => async (world) => {
      const { page } = world.person;
      await page.setViewportSize({ width: 390, height: 844 });
      await page.getByRole('tab', { name: 'Result', exact: true }).click();
      const isNarrow = async () => (await readPreview(world.person))?.width === 390;
      await until('a preview as wide as the phone', isNarrow);
      await page.getByRole('tab', { name: 'Code', exact: true }).click();
      await page.setViewportSize({ width: 1440, height: 900 });
      await untilOpen(world.person);
    },
  },
  {
    name: 'change the layout',
    weight: 3,
    plan(model, choice) {
      const there = choice.of(['Stacked', 'Code only', 'Result only'] as const) ?? 'Stacked';
      const edit = there === 'Code only' ? editAny(model, choice) : undefined;
      return async (world) => {
        await chooseFromMenu(world.person, 'menuitemradio', there);
        if (edit) await typeEdit(world.person, edit);
        if (model.runMode === 'Manually') await runProject(world.person);
        if (there !== 'Code only' && !(await poll(() => readPreview(world.person))))
          throw new Finding('preview', `no preview in layout ${there}`);
        await chooseFromMenu(world.person, 'menuitemradio', 'Side by side');
        await untilOpen(world.person);
      };
    },
  },
];

/** Stops the server with a signal, lets the user edit meanwhile, and restarts it. */
async function restart(
  world: World,
  { signal, isNewer = false }: { signal: 'SIGKILL' | 'SIGINT'; isNewer?: boolean },
  meanwhile: () => Promise<void>,
): Promise<void> {
  const { rig, person } = world;
  const { server } = rig;
  await untilLoaded(person);
  const exited = once(server.process, 'exit');
  server.process.kill(signal);
  await exited;
  await meanwhile();
  rig.server = await rig.startAgain(server, isNewer);
  world.seenLog = 0;
  await untilSaved(person);
}

/** Undefined for the srcdoc transport. */
async function previewOrigin({ person }: World): Promise<string | undefined> {
  await untilLoaded(person);
  const element = await person.page.locator('iframe[title="Result"]').elementHandle();
  const frame = await element?.contentFrame();
  const origin = await frame?.evaluate(() => self.origin);
  return origin === 'null' ? undefined : origin;
}

/**
 * Changes the connection. Playwright waits for responses of stopped service workers, which may never
 * come; pages have got the change by then.
 */
async function setOffline({ context }: TestUser, isOffline: boolean): Promise<void> {
  await Promise.race([context.setOffline(isOffline), delay(5_000)]);
}
