const lazy = import.meta.glob('./pages/*.ts');
const eager = import.meta.glob<{ default: string }>(['./pages/**/*.ts', '!**/skipped.ts'], { eager: true });
const names = import.meta.glob<string>('/src/pages/*.ts', { import: 'name', eager: true });
const texts = import.meta.glob<string>('@/notes/*.{txt,md}', {
  query: '?raw',
  import: 'default',
  eager: true,
});
const data = import.meta.glob<string>('./data/*.json', { import: 'title' });
const none = import.meta.glob('./none/*.ts');

const pages = await Promise.all(Object.values(lazy).map((load) => load()));
document.querySelector('p')!.textContent = [
  Object.keys(lazy).join(),
  pages.length,
  Object.keys(eager).join(),
  Object.values(eager).map((page) => page.default).join(),
  Object.entries(names).join(),
  Object.entries(texts).map(([path, text]) => `${path}=${text.trim()}`).join(),
  await Object.values(data)[0]!(),
  Object.keys(none).length,
].join(' ');
