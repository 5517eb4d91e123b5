import { afterEach, describe, expect, it } from 'vitest';
import { createDevtoolsLink } from '../../src/devtools/link.ts';
import { maxTextLength, parseProtocolText } from '../../src/devtools-messages.ts';

const open: MessagePort[] = [];
afterEach(() => {
  for (const port of open.splice(0)) port.close();
});

/** A front end that records messages, and pages to connect it to. */
function setUp() {
  const sent: { id?: number; method?: string; params?: unknown }[] = [];
  const asked = { reloads: 0 };
  const link = createDevtoolsLink({
    send: (text) => void sent.push(JSON.parse(text)),
    onFirstRequest: () => undefined,
    onReload: () => void (asked.reloads += 1),
  });
  const join = () => {
    const { port1, port2 } = new MessageChannel();
    open.push(port1, port2);
    const heard: { id: number; method: string }[] = [];
    port2.onmessage = ({ data }) => void heard.push(JSON.parse(data));
    link.join(port1);
    const say = (message: unknown) =>
      port2.postMessage(typeof message === 'object' ? JSON.stringify(message) : message);
    return { heard, say, port: port2 };
  };
  const ask = (id: number, method: string) => link.send(JSON.stringify({ id, method }));
  return { sent, asked, join, ask };
}

describe('a DevTools protocol text', () => {
  it('P-52 is a request, response or event of limited length', () => {
    expect(parseProtocolText('{"id":3,"result":{}}')).toMatchObject({ id: 3 });
    expect(parseProtocolText('{"method":"DOM.documentUpdated"}')).toMatchObject({
      method: 'DOM.documentUpdated',
    });
    const others = ['', '{', '[]', 'null', '1', '{}', '{"id":"3"}', '{"method":1}'];
    for (const text of others) expect(parseProtocolText(text)).toBe(undefined);
    for (const value of [undefined, null, 1, {}, { id: 3 }, ['{"id":3}']])
      expect(parseProtocolText(value)).toBe(undefined);
    const empty = '{"id":3,"result":""}';
    const long = (length: number) => empty.replace('""', `"${'x'.repeat(length - empty.length)}"`);
    expect(parseProtocolText(long(maxTextLength))).toMatchObject({ id: 3 });
    expect(parseProtocolText(long(maxTextLength + 1))).toBe(undefined);
  });
});

describe('P-51 the DevTools front end', () => {
  it('gets responses of the page from its first request on', async () => {
    const { sent, join, ask } = setUp();
    ask(1, 'DOM.enable');
    const page = join();
    await expect.poll(() => page.heard).toMatchObject([{ id: 1, method: 'DOM.enable' }]);
    page.say({ id: 1, result: {} });
    page.say({ method: 'DOM.attributeModified', params: {} });
    await expect.poll(() => sent.length).toBe(2);
  });

  it('P-52 gets no invalid or too long messages and no unsolicited responses', async () => {
    const { sent, join, ask } = setUp();
    ask(1, 'DOM.enable');
    const page = join();
    page.say({ id: 2, result: {} });
    page.say('nonsense');
    page.say(7);
    page.port.postMessage({ id: 1, result: {} });
    page.say({ id: 1, result: 'x'.repeat(maxTextLength) });
    page.say({ id: 1, result: {} });
    page.say({ id: 1, result: 'again' });
    page.say({ method: 'the last' });
    await expect.poll(() => sent.at(-1)?.method).toBe('the last');
    expect(sent).toEqual([{ id: 1, result: {} }, { method: 'the last' }]);
  });

  it('is connected to the next document: pending requests are sent again, and the DOM tree is reset', async () => {
    const { sent, join, ask } = setUp();
    const first = join();
    ask(1, 'DOM.enable');
    first.say({ id: 1, result: {} });
    await expect.poll(() => sent.length).toBe(1);
    ask(2, 'DOM.getDocument');
    const second = join();
    await expect.poll(() => second.heard.at(-1)?.id).toBe(2);
    const own = second.heard.filter(({ id }) => id < 0);
    expect(own.map(({ method }) => method)).toContain('Runtime.enable');
    first.say({ method: 'of the document before' });
    const tree = own.find(({ method }) => method === 'Page.getResourceTree');
    second.say({ id: tree?.id, result: { frameTree: { frame: { id: '1' } } } });
    await expect.poll(() => second.heard.at(-1)?.method).toBe('CSS.enable');
    expect(sent.at(-1)?.method).toBe('Page.frameNavigated');
    second.say({ id: second.heard.at(-1)?.id, result: {} });
    await expect.poll(() => sent.at(-1)?.method).toBe('DOM.documentUpdated');
    expect(sent.slice(1).map(({ method }) => method)).toEqual([
      'Runtime.executionContextsCleared',
      'Page.frameNavigated',
      'DOM.documentUpdated',
    ]);
    expect(sent.at(-2)?.params).toMatchObject({ frame: { id: '1' } });
  });

  it('lets the host reload the page', () => {
    const { sent, asked, ask } = setUp();
    ask(1, 'Page.reload');
    expect(asked.reloads).toBe(1);
    expect(sent).toEqual([{ id: 1, result: {} }]);
  });
});
