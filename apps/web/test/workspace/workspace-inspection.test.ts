import type { NetworkRequest } from '@vitrine/sandbox/host';
import { describe, expect, it } from 'vitest';
import { filterRequests, formatDuration } from '../../app/workspace/network/network-monitor.ts';
import {
  computeScale,
  findPageSize,
  initialView,
  withCustomSize,
} from '../../app/workspace/preview/preview-view.ts';

describe('the preview’s view settings', () => {
  const phone = { ...initialView, device: 'phone' } as const;
  const room = { width: 500, height: 422 };

  it('fill the available space unless a device is selected', () => {
    expect(findPageSize(initialView)).toBe(null);
    expect(computeScale(initialView, room)).toBe(1);
    expect(findPageSize(phone)).toEqual({ width: 390, height: 844 });
    expect(findPageSize({ ...phone, isTurned: true })).toEqual({ width: 844, height: 390 });
  });

  it('scale a device down to fit, or to the selected zoom', () => {
    expect(computeScale(phone, room)).toBe(0.5);
    expect(computeScale(phone, { width: 2_000, height: 2_000 })).toBe(1);
    expect(computeScale({ ...phone, zoom: '150' }, room)).toBe(1.5);
  });

  it('clamp a custom size', () => {
    const view = withCustomSize(phone, { width: 20.4, height: 90_000 });
    expect(findPageSize(view)).toEqual({ width: 200, height: 4_000 });
  });
});

describe('the list of requests', () => {
  const request: NetworkRequest = {
    id: 1,
    method: 'GET',
    address: '/a',
    kind: 'fetch',
    from: 'project',
    path: '',
    start: 0,
    duration: 1,
    status: 200,
    size: 1,
    hasFailed: false,
    startedBy: { path: '', line: 0, column: 0 },
    hasDetails: true,
  };

  it('is filtered by type, with sockets among fetches, and by failure', () => {
    const socket: NetworkRequest = { ...request, id: 2, kind: 'socket' };
    const image: NetworkRequest = { ...request, id: 3, kind: 'image', hasFailed: true };
    const all = [request, socket, image];
    const ids = (filter: 'all' | 'fetch' | 'failed') =>
      filterRequests(all, filter).map(({ id }) => id);
    expect(ids('all')).toEqual([1, 2, 3]);
    expect(ids('fetch')).toEqual([1, 2]);
    expect(ids('failed')).toEqual([3]);
  });

  it('formats sizes and durations', () => {
    expect([null, 12.4, 1_400].map(formatDuration)).toEqual(['…', '12 ms', '1.4 s']);
  });
});
