/**
 * Tool: runs axe-core and a rule of ours on the document, once it has settled after a change. Checks run one
 * at a time; the results are dropped if the document changed in the meantime.
 */
import axe from 'axe-core';
import {
  accessibilityLimits,
  impacts,
  type AccessibilityIssue,
  type IssueElement,
} from '../../accessibility-messages.ts';
import { openingTag } from '../opening-tag.ts';
import { unknownLocation, type PositionMap } from '../positions.ts';
import { findClickOnlyElements, type ClickListeners } from '../click-listeners.ts';
import { createHighlight } from './highlight.ts';
import { registerTool, type ToolContext } from './tool.ts';

// axe-core adds itself to the page's globals; removed so that the page doesn't see it.
if (Reflect.get(window, 'axe') === axe) Reflect.deleteProperty(window, 'axe');

registerTool('accessibility', (context) => {
  const outline = createHighlight(context.markInternal);
  /** Elements of the latest findings, by the id that was sent. */
  let elements: WeakRef<Element>[] = [];
  const watch = createWatch(context, {
    isOurs: outline.isHighlight,
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
        .slice(0, accessibilityLimits.findings)
        .map((result) => describe(result, found, context.positions));
      // One more than axe's, for the click-only rule.
      const checks =
        results.passes.length + results.violations.length + results.incomplete.length + 1;
      return () => {
        elements = found;
        context.connection.send({ type: 'findings', checks, findings });
      };
    },
  });
  return (message) => {
    if (message.type === 'watch') watch.begin();
    else if (message.type === 'rest') {
      watch.end();
      outline.clear();
    } else if (message.type === 'outline') {
      const element = message.element === null ? undefined : elements[message.element]?.deref();
      if (element) outline.show(element);
      else outline.clear();
    }
  };
});

interface Look {
  isOurs(node: Node): boolean;
  /** Runs the checks. Resolves with a function that reports the findings, if they are still valid. */
  look(): Promise<() => void>;
}

/** Time without changes before a check; also the shortest interval on a page that keeps changing. */
const settleMs = 500;
/** Pause after a check, in multiples of its duration: checks take at most a tenth of the page's time. */
const pauseFactor = 9;

function createWatch({ connection }: ToolContext, { isOurs, look }: Look) {
  let isWatching = false;
  let isRunning = false;
  let isStale = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let nextCheckAt = 0;

  const observer = new MutationObserver((changes) => {
    const isOfPage = ({ target, addedNodes, removedNodes }: MutationRecord) =>
      !isOurs(target) && ![...addedNodes, ...removedNodes].some(isOurs);
    if (changes.some(isOfPage)) schedule();
  });

  function schedule(): void {
    isStale = true;
    if (isRunning) return;
    const delayMs = Math.max(settleMs, nextCheckAt - performance.now());
    timer ??= setTimeout(() => whenIdle(() => void runOnce()), delayMs);
  }

  async function runOnce(): Promise<void> {
    timer = undefined;
    if (!isWatching || isRunning) return;
    isRunning = true;
    isStale = false;
    connection.send({ type: 'audit-started' });
    // A large page can't respond to pings meanwhile; reported like a dialog so that it doesn't count as hung.
    connection.send({ type: 'dialog', open: true });
    const startedAt = performance.now();
    try {
      const report = await look();
      if (isWatching && !isStale) report();
    } catch {
      // axe throws on pages that change built-ins it depends on.
      const message = 'Couldn’t finish checking this page. Reload the preview to try again.';
      connection.send({ type: 'audit-failed', message });
    } finally {
      connection.send({ type: 'dialog', open: false });
      isRunning = false;
      const now = performance.now();
      nextCheckAt = now + (now - startedAt) * pauseFactor;
    }
    // Changes made by the check itself don't count.
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
      whenLoaded(() => whenIdle(() => void runOnce()));
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
  // Safari has no requestIdleCallback.
  if ('requestIdleCallback' in window) requestIdleCallback(then, { timeout: 1_000 });
  else setTimeout(then, 50);
}

/** Fields of an axe result that `describe` reads. */
type Result = Pick<axe.Result, 'id' | 'impact' | 'help'> & {
  readonly nodes: readonly Pick<axe.NodeResult, 'element'>[];
};

/** Creates one result per element name; axe has no rule for click listeners. */
function findClickOnlyResults(clicks: ClickListeners): Result[] {
  const byName = Map.groupBy(findClickOnlyElements(clicks), ({ localName }) => localName);
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

function describe(
  result: Result,
  found: WeakRef<Element>[],
  positions: PositionMap,
): AccessibilityIssue {
  const elements = result.nodes
    .slice(0, accessibilityLimits.elements)
    .map(({ element }) => element)
    .filter((element) => element instanceof Element);
  return {
    rule: result.id,
    impact: impacts.find((name) => name === result.impact) ?? 'minor',
    help: result.help.slice(0, accessibilityLimits.text),
    elements: elements.map((element) => describeElement(element, found, positions)),
    more: result.nodes.length - elements.length,
  };
}

function describeElement(
  element: Element,
  found: WeakRef<Element>[],
  positions: PositionMap,
): IssueElement {
  const sameName = [...document.getElementsByTagName(element.localName)];
  const attributes = [...element.attributes]
    .slice(0, accessibilityLimits.attributes)
    .map(({ name, value }): [string, string] => [name, value.slice(0, accessibilityLimits.text)]);
  return {
    id: found.push(new WeakRef(element)) - 1,
    markup: openingTag(element).slice(0, accessibilityLimits.markup),
    name: element.localName.slice(0, 60),
    attributes,
    index: Math.max(0, sameName.indexOf(element)),
    count: sameName.length,
    made: findCreation(element, positions),
  };
}

/** Finds where an element was created: development builds of React keep the stack with each element. */
function findCreation(element: Element, positions: PositionMap) {
  const key = Object.keys(element).find((name) => name.startsWith('__reactFiber$'));
  const fiber: unknown = key === undefined ? undefined : Reflect.get(element, key);
  const made: unknown = isObject(fiber) ? Reflect.get(fiber, '_debugStack') : undefined;
  const stack: unknown = isObject(made) ? Reflect.get(made, 'stack') : made;
  return typeof stack === 'string' ? positions.findInStack(stack) : unknownLocation;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
