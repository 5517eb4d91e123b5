export { findLinks, type Link, type LinkKind } from './find-links.ts';
