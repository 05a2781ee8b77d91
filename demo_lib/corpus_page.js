// Language, light and dark, and the plots, in the colours that the style has at the moment.
(() => {
  const root = document.documentElement
  const figures = JSON.parse(document.getElementById('figures').textContent)
  const dark = matchMedia('(prefers-color-scheme: dark)')
  const colour = (name) => getComputedStyle(root).getPropertyValue(name).trim()

  function draw() {
    const ink = colour('--ink'), line = colour('--line'), font = { family: getComputedStyle(document.body).fontFamily }
    const shown = figures[root.dataset.lang]
    for (const place of document.querySelectorAll('.plot')) {
      const figure = shown[place.dataset.plot]
      const data = figure.data.map((one) => ({
        ...one,
        marker: { color: colour(`--series-${one.meta % 4}`) },
        error_x: one.error_x && { ...one.error_x, color: colour('--muted'), thickness: 1.5, width: 3 },
      }))
      const axis = { gridcolor: line, zerolinecolor: line, linecolor: line, automargin: true, fixedrange: true }
      const layout = {
        ...figure.layout,
        xaxis: { ...axis, ...figure.layout.xaxis },
        yaxis: { ...axis, ...figure.layout.yaxis },
        font: { ...font, color: ink, size: 13 },
        paper_bgcolor: 'rgba(0,0,0,0)',
        plot_bgcolor: 'rgba(0,0,0,0)',
        margin: { l: 8, r: 12, t: 34, b: 44 },
      }
      Plotly.react(place, data, layout, { responsive: true, displayModeBar: false })
    }
  }

  function theme(name) {
    root.dataset.theme = name
    draw()
  }

  document.getElementById('language').onclick = () => {
    root.dataset.lang = root.lang = root.dataset.lang === 'en' ? 'zh-CN' : 'en'
    document.title = document.querySelector(`h1 [lang="${root.lang}"]`).textContent
    draw()
  }
  document.getElementById('theme').onclick = () => theme(root.dataset.theme === 'dark' ? 'light' : 'dark')
  dark.onchange = () => theme(dark.matches ? 'dark' : 'light')
  theme(dark.matches ? 'dark' : 'light')
})()
