import picomatch from 'picomatch';
import type { FindGlobFiles } from '../compile-context.ts';

/** Finds files with the patterns of Vite, which picomatch reads too. */
export const findGlobFiles: FindGlobFiles = (patterns, paths, isExhaustive) => {
  const options = { dot: isExhaustive };
  const positive = patterns.filter((pattern) => !pattern.startsWith('!'));
  const negative = patterns
    .filter((pattern) => pattern.startsWith('!'))
    .map((each) => each.slice(1));
  const isMatch = picomatch(positive, options);
  const isExcluded = negative.length > 0 ? picomatch(negative, { dot: true }) : () => false;
  return paths.filter((path) => isMatch(`/${path}`) && !isExcluded(`/${path}`));
};
