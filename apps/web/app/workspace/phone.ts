/** True where there is room for one thing at a time; the style sheets ask the same. */
export function isPhone(): boolean {
  return matchMedia('(max-width: 720px)').matches;
}
