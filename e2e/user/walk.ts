/**
 * A random user: steps are chosen by a seed, performed in a real browser and checked by the oracle.
 * The same seed gives the same steps. If a walk fails, the steps that the failure doesn't need are
 * dropped.
 */
import type { Action } from './action.ts';
import { actions } from './actions.ts';
import { SeededChoice, createModel, templates, type Model, type Template } from './model.ts';
import { checkStep, checkPreview, Finding } from './oracle.ts';
import { runProject, startDraftAt } from './user-page.ts';
import {
  getAppAddress,
  createWorld,
  readTemplateFiles,
  type BrowserName,
  type WalkRig,
} from './world.ts';

/** An action's name and the seed of its choices. */
export type Step = readonly [action: string, seed: number];

export interface Walk {
  readonly template: Template;
  readonly steps: readonly Step[];
}

/** Plans the steps of a seed, without a browser. */
export function planWalk(seed: number, length: number, browser: BrowserName): Walk {
  const choice = new SeededChoice(seed);
  const template = choice.of(templates) ?? 'html';
  const model = createModel(template, readTemplateFiles(template));
  const possible = actions.filter(({ isChromium }) => browser === 'chromium' || !isChromium);
  const steps: Step[] = [];
  while (steps.length < length) {
    const action = choice.weighted(possible);
    if (!action) break;
    const step: Step = [action.name, choice.number(1_000_000)];
    if (planStep(model, step)) steps.push(step);
  }
  return { template, steps };
}

/** Undefined if the step isn't possible, for example because an earlier one was dropped. */
function planStep(model: Model, [name, seed]: Step) {
  const action = findAction(name);
  if (model.connection === 'offline' && !action.worksOffline) return undefined;
  const perform = action.plan(model, new SeededChoice(seed));
  return perform && { action, perform };
}

function findAction(name: string): Action {
  const action = actions.find((each) => each.name === name);
  if (!action) throw new Error(`there is no action ${name}`);
  return action;
}

/** Timeout of a step, in milliseconds, far more than even a build of the app takes. */
const stepMs = 300_000;

/** Limits a step's duration, because calls to a hanging page never return. */
async function withinStep<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Finding('action', 'It never ends.')), stepMs);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Interval of complete checks in steps, unless a step requires one. */
const wholeEvery = 10;

/** Performs a walk in a browser. Resolves to the first finding, or undefined. */
export async function walk(
  rig: WalkRig,
  { template, steps }: Walk,
  say: (line: string) => void = () => undefined,
): Promise<{ finding: Finding; at: number } | undefined> {
  const world = await createWorld(rig, template);
  const recent: Action[] = [];
  let at = 0;
  try {
    await startDraftAt(world.person, getAppAddress(rig), template);
    await checkStep(world, []);
    for (const step of steps) {
      at += 1;
      const planned = planStep(world.model, step);
      if (!planned) continue;
      say(`${at} ${step.join(' ')}`);
      await withinStep(planned.perform(world));
      if (world.model.runMode === 'Manually') await runProject(world.person);
      recent.push(planned.action);
      // Some complaints are a step late, and those about a lost connection continue until it is
      // back.
      if (world.model.connection === 'online') recent.splice(0, recent.length - 2);
      await withinStep(checkStep(world, recent));
      if (planned.action.isStructural || at % wholeEvery === 0)
        await withinStep(checkPreview(world));
    }
    await checkPreview(world);
    return undefined;
  } catch (error) {
    const finding =
      error instanceof Finding
        ? error
        : new Finding('action', error instanceof Error ? error.message : String(error));
    return { finding, at };
  } finally {
    await world.profile.remove();
  }
}

/**
 * Shrinks a list of steps that fails: drops sequences, first half of all, then shorter
 * ones, while the rest still fails.
 */
export async function shrink<T>(
  all: readonly T[],
  fails: (steps: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let steps = all;
  for (
    let size = Math.ceil(steps.length / 2);
    size >= 1;
    size = size > 1 ? Math.ceil(size / 2) : 0
  ) {
    for (let start = 0; start < steps.length;) {
      const fewer = steps.toSpliced(start, size);
      if (await fails(fewer)) steps = fewer;
      else start += size;
    }
  }
  return steps;
}
