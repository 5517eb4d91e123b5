import uFuzzy from '@leeoniya/ufuzzy';

/** Letters of a path in their order, whatever stands between them. */
const finder = new uFuzzy({ intraIns: Infinity, intraChars: '.' });

/** The paths in which what was typed can be found, the best first; all of them for nothing. */
export function findPaths(paths: readonly string[], typed: string): string[] {
  const wanted = typed.trim();
  if (wanted === '') return [...paths];
  const all = [...paths];
  const [found, info, order] = finder.search(all, wanted, 1);
  const indexes = info && order ? order.map((each) => info.idx[each]) : (found ?? []);
  return indexes.flatMap((index) => (index === undefined ? [] : (all[index] ?? [])));
}
