"""What the DMTF's own Python client does, once with each way to log in. Reads {url, username, password, ca} from stdin."""

import json
import sys
import time

import redfish

given = json.load(sys.stdin)
system = "/redfish/v1/Systems/1"
for way in ("basic", "session"):
    client = redfish.redfish_client(
        base_url=given["url"],
        username=given["username"],
        password=given["password"],
        cafile=given["ca"],
        timeout=10,
        max_retry=1,
    )
    client.login(auth=way)
    read = client.get(system)
    assert read.status == 200, read
    matching = {"If-Match": read.getheader("ETag")}
    assert client.patch(system, body={"AssetTag": way}, headers=matching).status == 200
    assert client.get(system).dict["AssetTag"] == way
    assert client.patch(system, body={"AssetTag": "late"}, headers=matching).status == 412
    reset = read.dict["Actions"]["#ComputerSystem.Reset"]["target"]
    assert client.post(reset, body={"ResetType": "On"}).status == 204
    # A system on its way to On is one version, a system that is On the next: a tag read between the two is soon out of date.
    deadline = time.monotonic() + 10
    while client.get(system).dict["PowerState"] != "On":
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert client.post(reset, body={"ResetType": "Sideways"}).status == 400
    client.logout()
print("ok")
