import { double } from '@/math';

onmessage = ({ data }: MessageEvent<number>) => postMessage(double(data));
