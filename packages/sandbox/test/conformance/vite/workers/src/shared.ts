import { double } from './math';

onconnect = ({ ports: [port] }) => {
  port.onmessage = ({ data }: MessageEvent<number>) => port.postMessage(double(data));
};
