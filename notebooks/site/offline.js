// The network first, and where there is none what a page that ran has kept.
self.addEventListener('fetch', e => {
  if (e.request.method !== 'GET' || !e.request.url.startsWith(location.origin) || e.request.url.includes('.gz')) return;
  e.respondWith((async () => {
    const kept = await caches.open('fwlab-pages');
    try {
      const came = await fetch(e.request);
      if (came.ok && await kept.match(e.request)) await kept.put(e.request, came.clone());
      return came;
    } catch (wrong) {
      const had = await kept.match(e.request, { ignoreSearch: e.request.mode === 'navigate' });
      if (had) return had;
      throw wrong;
    }
  })());
});
self.addEventListener('activate', e => e.waitUntil(clients.claim()));
