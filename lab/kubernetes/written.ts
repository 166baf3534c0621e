/** What the client at the seat writes, and how it is found again. */
export const folder = "/api/v1/namespaces/default/configmaps";
export const labels = { "duet-lab": "writer" };
export const selector = "labelSelector=duet-lab%3Dwriter";
