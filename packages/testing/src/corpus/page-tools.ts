/** A script with helpers for the exercises, in addition to `root` and `fileOf`. */
export const pageTools = `
/** Resolves to true as soon as the condition holds, and to false when it did not for 10 s. */
globalThis.until = async (holds) => {
  for (let tries = 0; tries < 200; tries++) {
    if (holds()) return true;
    await new Promise((next) => setTimeout(next, 50));
  }
  return false;
};
globalThis.shown = async (text) => {
  if (await until(() => root.textContent.includes(text))) return true;
  console.error('shows ' + root.textContent.slice(0, 200));
  return false;
};
/** Text that occurs once in every copy of a library's own code, whatever its version. */
const marks = {
  preact: /\\b__k:\\s*null,\\s*__:\\s*null\\b/,
  react: /\\b\\w+\\.useTransition\\s*=(?!=)/,
  three: /\\bthis\\.isObject3D = true\\b/,
  vue: /__VUE_SSR_SETTERS__/,
  yjs: /__ \\$YJS\\$ __/,
};
/** Whether the page has loaded the code of each of these libraries exactly once. */
globalThis.areSingle = async (...names) => {
  const loaded = performance.getEntriesByType('resource').map(({ name }) => name);
  const scripts = [...new Set(loaded.filter((name) => name.includes('/npm/')))];
  const texts = await Promise.all(scripts.map(async (name) => [name, await (await fetch(name)).text()]));
  const copies = names.map((name) => texts.filter(([, text]) => marks[name].test(text)).map(([at]) => at));
  const wrong = copies.filter((found) => found.length !== 1);
  if (wrong.length > 0) console.error('not once: ' + JSON.stringify(copies));
  return wrong.length === 0;
};
performance.setResourceTimingBufferSize(2000);
`;
