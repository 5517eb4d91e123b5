onmessage = ({ data }) => postMessage("got " + data * 2);
