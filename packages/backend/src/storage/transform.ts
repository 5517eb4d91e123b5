import { findChoice, findNumber, parseObject, type StorageRequestBody } from './input.ts';
import { invalidRequest } from './storage-error.ts';

/** An image transformation, with the client's names. */
export interface ImageTransform {
  width?: number;
  height?: number;
  resize: 'cover' | 'contain' | 'fill';
  quality?: number;
  /** `origin` keeps the image's format. */
  format?: 'origin' | 'webp' | 'avif';
}

const maxSide = 2500;
const resizingTypes = { cover: 'fill', contain: 'fit', fill: 'force' } as const;

/**
 * Parses the transformation of a query or body. Limits width and height; throws for other invalid
 * values.
 */
export function parseImageTransform(given: StorageRequestBody): ImageTransform {
  const [width, height] = ['width', 'height'].map((name) => findNumber(given, name, 1));
  const quality = findNumber(given, 'quality', 20);
  if (quality !== undefined && quality > 100) throw invalidRequest('quality must be <= 100');
  const format = findChoice(given, 'format', ['origin', 'webp', 'avif']);
  return {
    ...(width === undefined ? {} : { width: Math.min(width, maxSide) }),
    ...(height === undefined ? {} : { height: Math.min(height, maxSide) }),
    resize: findChoice(given, 'resize', ['cover', 'contain', 'fill']) ?? 'cover',
    ...(quality === undefined ? {} : { quality }),
    ...(format === undefined ? {} : { format }),
  };
}

/**
 * Value of the header `x-transformations`: `height:200,width:200,resizing_type:fill,quality:60`.
 */
export function formatImageTransform({
  width,
  height,
  resize,
  quality,
  format,
}: ImageTransform): string {
  const isSized = width !== undefined || height !== undefined;
  return [
    height === undefined ? [] : `height:${height}`,
    width === undefined ? [] : `width:${width}`,
    isSized ? `resizing_type:${resizingTypes[resize]}` : [],
    quality === undefined ? [] : `quality:${quality}`,
    format === undefined || format === 'origin' ? [] : `format:${format}`,
  ]
    .flat()
    .join(',');
}

/** Parses the transformation in a body; undefined when there is none. */
export function findImageTransform(body: StorageRequestBody): ImageTransform | undefined {
  const given = body['transform'];
  if (given === undefined || given === null) return undefined;
  if (typeof given !== 'object') throw invalidRequest('body/transform must be object');
  return Object.keys(given).length === 0 ? undefined : parseImageTransform({ ...given });
}

/** Parses the transformation in a signed token. */
export function parseSignedTransform(text: string | undefined): ImageTransform {
  return parseImageTransform(
    text === undefined ? {} : parseObject(text, 'Invalid transformations'),
  );
}

/** Chooses WebP when the client accepts it and requests no format, as a hosted project does. */
export function negotiateFormat(transform: ImageTransform, accept: string | null): ImageTransform {
  const takesWebp = accept?.includes('image/webp') ?? false;
  return transform.format === undefined && takesWebp ? { ...transform, format: 'webp' } : transform;
}
