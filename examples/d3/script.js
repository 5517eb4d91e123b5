import * as d3 from 'd3';
import { rain } from './data.js';

const margin = { top: 24, right: 4, bottom: 28, left: 36 };
const height = 320;
const svg = d3.select('svg');
const wettest = d3.greatest(rain, (d) => d.millimeters);

d3.select('#summary').text(
  `${d3.sum(rain, (d) => d.millimeters)} mm in all. ` +
    `Most fell in ${wettest.month}: ${wettest.millimeters} mm.`,
);

new ResizeObserver(([{ contentRect }]) => draw(contentRect.width)).observe(svg.node());

function draw(width) {
  const x = d3
    .scaleBand(
      rain.map((d) => d.month),
      [margin.left, width - margin.right],
    )
    .padding(0.2);
  const y = d3
    .scaleLinear([0, wettest.millimeters], [height - margin.bottom, margin.top])
    .nice();

  svg.attr('viewBox', [0, 0, width, height]);
  group('y')
    .attr('transform', `translate(${margin.left},0)`)
    .call(d3.axisLeft(y).ticks(5).tickSize(margin.left + margin.right - width))
    .call((axis) => axis.select('.domain').remove());
  group('x')
    .attr('transform', `translate(0,${height - margin.bottom})`)
    .call(
      d3
        .axisBottom(x)
        .tickSizeOuter(0)
        // Every other month, where there is no room for all.
        .tickValues(x.domain().filter((_, index) => width > 480 || index % 2 === 0)),
    );

  const bars = group('bars')
    .selectAll('rect')
    .data(rain)
    .join('rect')
    .attr('x', (d) => x(d.month))
    .attr('y', (d) => y(d.millimeters))
    .attr('width', x.bandwidth())
    .attr('height', (d) => y(0) - y(d.millimeters))
    .attr('rx', 3);
  bars
    .selectAll('title')
    .data((d) => [d])
    .join('title')
    .text((d) => `${d.month}: ${d.millimeters} mm`);
}

// The group with this class, made the first time.
function group(name) {
  return svg.selectAll(`g.${name}`).data([null]).join('g').attr('class', name);
}
