/** Draws the charts of a report; runs in the page, after the charting library. */
export const PAGE_SCRIPT = `
const colours = ['#4269d0', '#efb118', '#3ca951', '#ff725c', '#6cc5b0', '#a463f2', '#97bbf5', '#9498a0'];
const number = (value) => value.toLocaleString('en', { maximumSignificantDigits: 4 });
for (const chart of JSON.parse(document.getElementById('charts').textContent)) {
  // A bar begins at the axis: the power of ten below the smallest value, so that this one has a bar too.
  const smallest = Math.min(...chart.series.flatMap(({ values }) => values.filter((value) => value !== null)));
  const min = chart.logarithmic && smallest < Infinity ? 10 ** Math.floor(Math.log10(smallest * 0.9)) : undefined;
  const suffix = chart.unit === '%' ? ' %' : ' ' + chart.unit;
  new Chart(document.getElementById(chart.id), {
    type: 'bar',
    data: {
      labels: chart.policies,
      datasets: chart.series.map(({ name, values }, index) => ({
        label: name, data: values, backgroundColor: colours[index], maxBarThickness: 28,
      })),
    },
    options: {
      animation: false,
      maintainAspectRatio: false,
      plugins: {
        legend: { display: chart.series.length > 1, position: 'bottom' },
        tooltip: { callbacks: { label: ({ dataset, raw }) => dataset.label + ': ' + number(raw) + suffix } },
      },
      scales: {
        x: { grid: { display: false } },
        y: {
          type: chart.logarithmic ? 'logarithmic' : 'linear',
          beginAtZero: !chart.logarithmic,
          min,
          title: { display: true, text: chart.unit },
          ticks: { callback: (value) => (chart.logarithmic && !/^[0.]*[125]0*$/.test(String(value)) ? null : number(value)) },
        },
      },
    },
  });
}
`;
