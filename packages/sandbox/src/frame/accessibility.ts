/**
 * A tool: runs axe-core and a rule of ours over the document while somebody wants to know, once the page rests after a
 * change. One look at a time; a change during it makes its findings void.
 */
import axe from 'axe-core';
import {
  findingLimits,
  impacts,
  type Finding,
  type FoundElement,
} from '../accessibility-messages.ts';
import { openingTag } from './opening-tag.ts';
import { nowhere, type Positions } from './positions.ts';
import { findClickOnly, type Clicks } from './clicks.ts';
import { createOutline } from './outline.ts';
import { offerTool, type ToolContext } from './tool.ts';

// It puts itself into the page's globals, where it is none of the page's.
if (Reflect.get(window, 'axe') === axe) Reflect.deleteProperty(window, 'axe');

offerTool('accessibility', (context) => {
  const outline = createOutline(context.own);
  /** The elements of the newest findings, by the id that they were told with. */
  let elements: WeakRef<Element>[] = [];
  const watch = createWatch(context, {
    isOurs: outline.isOutline,
    async look() {
      const found: WeakRef<Element>[] = [];
      const results = await axe.run(document, {
        resultTypes: ['violations'],
        elementRef: true,
        selectors: false,
        iframes: false,
        preload: false,
      });
      const findings = [...results.violations, ...findClickOnlyResults(context.clicks)]
        .slice(0, findingLimits.findings)
        .map((result) => describe(result, found, context.positions));
      // One more than axe's.
      const checks =
        results.passes.length + results.violations.length + results.incomplete.length + 1;
      return () => {
        elements = found;
        context.connection.send({ type: 'findings', checks, findings });
      };
    },
  });
  return (said) => {
    if (said.type === 'watch') watch.begin();
    else if (said.type === 'rest') {
      watch.end();
      outline.clear();
    } else if (said.type === 'outline') {
      const element = said.element === null ? undefined : elements[said.element]?.deref();
      if (element) outline.show(element);
      else outline.clear();
    }
  };
});

interface Look {
  isOurs(node: Node): boolean;
  /** Resolves with what tells the findings, if they still hold. */
  look(): Promise<() => void>;
}

/** A page at rest for so long is looked at; one that never rests, this often. */
const restMs = 500;
/** Looking takes at most a tenth of the page's time. */
const pause = 9;

function createWatch({ connection }: ToolContext, { isOurs, look }: Look) {
  let isWatching = false;
  let isLooking = false;
  let isStale = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let mayLookAt = 0;

  const observer = new MutationObserver((changes) => {
    const isOfPage = ({ target, addedNodes, removedNodes }: MutationRecord) =>
      !isOurs(target) && ![...addedNodes, ...removedNodes].some(isOurs);
    if (changes.some(isOfPage)) schedule();
  });

  function schedule(): void {
    isStale = true;
    if (isLooking) return;
    const soonest = Math.max(restMs, mayLookAt - performance.now());
    timer ??= setTimeout(() => whenIdle(() => void lookOnce()), soonest);
  }

  async function lookOnce(): Promise<void> {
    timer = undefined;
    if (!isWatching || isLooking) return;
    isLooking = true;
    isStale = false;
    connection.send({ type: 'looking' });
    // A page of many elements does not answer meanwhile, and is no less alive.
    connection.send({ type: 'dialog', open: true });
    const startedAt = performance.now();
    try {
      const tell = await look();
      if (isWatching && !isStale) tell();
    } catch {
      // An edge: axe stumbles over pages that change what it stands on.
      const sentence = 'Couldn’t finish checking this page. Reload the preview to try again.';
      connection.send({ type: 'not-looked', sentence });
    } finally {
      connection.send({ type: 'dialog', open: false });
      isLooking = false;
      const now = performance.now();
      mayLookAt = now + (now - startedAt) * pause;
    }
    // The page changed while it was looked at.
    observer.takeRecords();
    if (isStale && isWatching) schedule();
  }

  return {
    begin(): void {
      if (isWatching) return;
      isWatching = true;
      observer.observe(document, {
        subtree: true,
        childList: true,
        attributes: true,
        characterData: true,
      });
      whenLoaded(() => whenIdle(() => void lookOnce()));
    },
    end(): void {
      isWatching = false;
      clearTimeout(timer);
      timer = undefined;
      observer.disconnect();
    },
  };
}

function whenLoaded(then: () => void): void {
  if (document.readyState === 'loading')
    document.addEventListener('DOMContentLoaded', then, { once: true });
  else then();
}

function whenIdle(then: () => void): void {
  // WebKit has none.
  if ('requestIdleCallback' in window) requestIdleCallback(then, { timeout: 1_000 });
  else setTimeout(then, 50);
}

/** What `describe` needs of a result of axe's. */
type Result = Pick<axe.Result, 'id' | 'impact' | 'help'> & {
  readonly nodes: readonly Pick<axe.NodeResult, 'element'>[];
};

/** One result for each kind of element: `axe` has no rule for listeners. */
function findClickOnlyResults(clicks: Clicks): Result[] {
  const byName = Map.groupBy(findClickOnly(clicks), ({ localName }) => localName);
  return [...byName].map(([name, elements]) => ({
    id: `click-only-${name}`.slice(0, 60),
    impact: 'critical',
    help:
      elements.length === 1
        ? `This ${name} responds to clicks but can’t be reached by keyboard. Use a button`
        : `These ${name} elements respond to clicks but can’t be reached by keyboard. Use buttons`,
    nodes: elements.map((element) => ({ element })),
  }));
}

function describe(result: Result, found: WeakRef<Element>[], positions: Positions): Finding {
  const elements = result.nodes
    .slice(0, findingLimits.elements)
    .map(({ element }) => element)
    .filter((element) => element instanceof Element);
  return {
    rule: result.id,
    impact: impacts.find((name) => name === result.impact) ?? 'minor',
    help: result.help.slice(0, findingLimits.text),
    elements: elements.map((element) => describeElement(element, found, positions)),
    more: result.nodes.length - elements.length,
  };
}

function describeElement(
  element: Element,
  found: WeakRef<Element>[],
  positions: Positions,
): FoundElement {
  const alike = [...document.getElementsByTagName(element.localName)];
  const attributes = [...element.attributes]
    .slice(0, findingLimits.attributes)
    .map(({ name, value }): [string, string] => [name, value.slice(0, findingLimits.text)]);
  return {
    id: found.push(new WeakRef(element)) - 1,
    markup: openingTag(element).slice(0, findingLimits.markup),
    name: element.localName.slice(0, 60),
    attributes,
    index: Math.max(0, alike.indexOf(element)),
    count: alike.length,
    made: findMaker(element, positions),
  };
}

/** React of a development build keeps, with each element, the stack in which it was made. */
function findMaker(element: Element, positions: Positions) {
  const key = Object.keys(element).find((name) => name.startsWith('__reactFiber$'));
  const fiber: unknown = key === undefined ? undefined : Reflect.get(element, key);
  const made: unknown = isObject(fiber) ? Reflect.get(fiber, '_debugStack') : undefined;
  const stack: unknown = isObject(made) ? Reflect.get(made, 'stack') : made;
  return typeof stack === 'string' ? positions.findInStack(stack) : nowhere;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
